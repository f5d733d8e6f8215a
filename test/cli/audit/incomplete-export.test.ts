import { expect, it } from '@jest/globals';
import { missingRecords } from '../../../cli/audit/missing-records.js';
import { refuseIncomplete } from '../../../cli/commands/audit-export.js';
import { readExport } from '../../../cli/audit/runs-on-record.js';
import { signedExport } from './signed-export.js';
import { writtenExport } from './account/told-account.js';

const WHOLE = readExport('whole.json', signedExport({ steps: 3 }));
const LACKING = { ...WHOLE, records: WHOLE.records.slice(0, -2) };
const OPEN = readExport('open.json', writtenExport({}));

it('an export is not called complete where the run reported more records than were found', async () => {
  const [all, found] = [WHOLE.records.length, LACKING.records.length];
  expect(await missingRecords(LACKING)).toBe(2);
  await expect(refuseIncomplete(LACKING, '/srv/state')).rejects.toMatchObject({
    code: 'CCM4019',
    exitStatus: 'failed',
    message: `c1: the run reported ${String(all)} records, /srv/state holds ${String(found)}`,
    fix: expect.stringContaining('--evidence-dir'),
  });
});

it.each([
  ['all records are there', WHOLE],
  [
    'more are there than the run has reported',
    { ...WHOLE, records: [...WHOLE.records, ...OPEN.records] },
  ],
  ['the run has not counted its records', OPEN],
])('an export is complete where %s', async (_case, content) => {
  expect(await missingRecords(content)).toBe(0);
  await refuseIncomplete(content, '/srv/state');
});
