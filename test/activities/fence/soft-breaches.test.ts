import { describe, expect, it } from '@jest/globals';
import { breachKey, breachLines, softVerdictOf } from '../../../activities/fence/fence-record.js';
import { openBreaches } from '../../../activities/fence/read-fence.js';

const SYNCS = 'CCM3101 nodeSyncErrors: 4 of 5: bad';
const STUCK = 'CCM3101 serviceQueueStuck: a call hangs';
const OWNERS = 'CCM3001 oneOwner: two managers';
const CHANGE = { cures: [] };

describe('soft breaches in the fence', () => {
  it.each([
    [SYNCS, 'CCM3101:nodeSyncErrors'],
    [STUCK, 'CCM3101:serviceQueueStuck'],
    ['CCM3101 no colon', 'CCM3101:'],
    [OWNERS, 'CCM3001'],
  ])('%s is told from others as %s', (line, key) => {
    expect(breachLines(line).map(breachKey)).toEqual([key]);
  });

  it.each([
    [SYNCS, 'fail'],
    ['CCM3104 servicesKeepWorking: one fails', 'fail'],
    ['CCM3102 nodeSyncErrors: 2 of 5', 'inconclusive'],
    ['CCM3103 nodeSyncErrors: no page', 'error'],
  ])('%s says %s again', (line, verdict) => {
    const [found] = breachLines(line).map(softVerdictOf);
    expect(found).toMatchObject({ hardness: 'soft', verdict });
    expect(line).toBe(`${found?.code ?? ''} ${found?.gate ?? ''}: ${found?.detail ?? ''}`);
  });

  it('a hard one is no soft verdict', () => {
    expect(breachLines(OWNERS).map(softVerdictOf)).toEqual([null]);
  });

  it.each([
    ['a change passes none', CHANGE, [], [SYNCS, STUCK, OWNERS]],
    ['a repair passes the soft ones', { cures: [], passesSoft: true }, [], [OWNERS]],
    [
      'only the gate that was accepted is passed',
      CHANGE,
      ['CCM3101:nodeSyncErrors'],
      [STUCK, OWNERS],
    ],
    ['the code alone accepts none', CHANGE, ['CCM3101'], [SYNCS, STUCK, OWNERS]],
    ['a step passes what it cures', { cures: ['CCM3001'] }, [], [SYNCS, STUCK]],
  ])('%s', (_name, token, acknowledged, open) => {
    const breach = [SYNCS, STUCK, OWNERS].join('\n');
    const found = openBreaches({ breach, acknowledged }, token);
    expect(found.map(({ code, detail }) => `${code} ${detail}`)).toEqual(open);
  });
});
