import { expect, it } from '@jest/globals';
import { refuseIncomplete } from '../../../cli/commands/audit-export.js';
import { endedView, viewOf } from '../given-runs.js';

const records = (count: number) => ({
  cluster: 'prod-1',
  records: Array.from({ length: count }, () => ({}) as never),
});

it('an export is not called complete where the run reported more records than were found', () => {
  expect(() => {
    refuseIncomplete(records(0), endedView(), '/srv/state');
  }).toThrow(
    expect.objectContaining({
      code: 'CCM4019',
      exitStatus: 'failed',
      message: 'prod-1: the run reported 30 records, /srv/state holds 0',
      fix: expect.stringContaining('--evidence-dir'),
    }),
  );
});

it.each([
  ['all records are there', 30, endedView()],
  ['the run is still open and has not counted its records', 0, viewOf()],
  ['the run ended without evidence', 0, endedView({ evidence: null })],
])('an export is complete where %s', (_case, count, view) => {
  expect(() => {
    refuseIncomplete(records(count), view, '/srv/state');
  }).not.toThrow();
});
