import { describe, expect, it } from '@jest/globals';
import { readRevision } from '../../workflows/fleet/read-revision.js';
import { fleetInputOf } from '../support/fleet-input.js';

const { given } = fleetInputOf({ rows: [{ name: 'a' }] });
const SENT = {
  ...{ format: 1, commandId: 'r', actor: 'bo', reason: 'CHG-2', ticket: '', files: [] },
  ...{ fleetRun: 'run-1', revision: 0, given },
};

describe('a new plan as it arrives', () => {
  it('is taken as it was sent', () => {
    expect(readRevision(SENT)).toEqual({ kind: 'revision', order: SENT });
  });

  it.each<[string, unknown, string]>([
    ['of another version', { ...SENT, format: 2 }, 'this version cannot read the new plan'],
    ['without a sender', { ...SENT, actor: ' ' }, 'this version cannot read its actor'],
    ['for no fleet', { ...SENT, fleetRun: undefined }, 'this version cannot read its fleetRun'],
    ['for no revision', { ...SENT, revision: -1 }, 'this version cannot read its revision'],
    ['without a reason', { ...SENT, reason: 7 }, 'this version cannot read its reason'],
    ['without a plan', { ...SENT, given: null }, 'this version cannot read its plan'],
    [
      'without rows',
      { ...SENT, given: { ...given, plan: {} } },
      'this version cannot read its plan',
    ],
    [
      'with fewer plans than clusters',
      { ...SENT, given: { ...given, members: [] } },
      'not every cluster has its plan',
    ],
  ])('is answered when it comes %s', (_, sent, problem) => {
    expect(readRevision(sent)).toMatchObject({ kind: 'unreadable', commandId: 'r', problem });
  });

  it('has no answer without an id', () => {
    expect(readRevision('plan')).toMatchObject({ kind: 'unreadable', commandId: '', actor: '' });
  });
});
