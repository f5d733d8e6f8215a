import { describe, expect, it } from '@jest/globals';
import {
  acceptedKey,
  breachKey,
  breachLines,
  grantedFence,
  readFence,
  softVerdictOf,
} from '../../../activities/fence/fence-record.js';
import { openBreaches } from '../../../activities/fence/read-fence.js';
import { runContext } from '../run-context.js';

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
      'a change passes none that was accepted and holds all the same',
      CHANGE,
      ['CCM3101:nodeSyncErrors', 'CCM3101:serviceQueueStuck', 'CCM3101'],
      [SYNCS, STUCK, OWNERS],
    ],
    ['a step passes what it cures', { cures: ['CCM3001'] }, [], [SYNCS, STUCK]],
  ])('%s', (_name, token, acknowledged, open) => {
    const breach = [SYNCS, STUCK, OWNERS].join('\n');
    const found = openBreaches({ breach, acknowledged }, token);
    expect(found.map(({ code, detail }) => `${code} ${detail}`)).toEqual(open);
  });

  const OTHERS = [
    'CCM3102 nodeSyncLatency: 2 of 5',
    'CCM3103 cloudSight: list events: 403',
    'CCM3104 servicesKeepWorking: Service shop/web',
    'CCM3105 cloudSight: each call has failed',
  ];
  const breach = [SYNCS, ...OTHERS].join('\n');

  it.each([
    ['nor is anything that is unmeasured, suspected or fails now', true, [], [SYNCS]],
    ['nor is what was accepted before, when the fence is only taken again', false, [SYNCS], []],
  ])('what is accepted is counted events alone: %s', (_name, acknowledge, before, accepted) => {
    const keys = (lines: readonly string[]): readonly string[] =>
      lines.flatMap((line) => breachLines(line).map(breachKey));
    const asked = { ...runContext(), nonce: 'n', acknowledge };
    const lease = { metadata: {}, spec: { holderIdentity: asked.runId } };
    const held = { ...readFence(lease), breach, acknowledged: keys(before) };
    const granting = { displaced: '', serverTimeMs: 0, accepted: null };
    const { acknowledged } = readFence(grantedFence(asked, held, granting));
    expect(acknowledged).toEqual(keys(accepted));
    expect(acknowledged.includes(acceptedKey('nodeSyncErrors'))).toBe(accepted.length > 0);
    expect(acknowledged.includes(acceptedKey('cloudSight'))).toBe(false);
  });
});
