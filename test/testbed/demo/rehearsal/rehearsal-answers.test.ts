import { describe, expect, it } from '@jest/globals';
import {
  answersTo,
  isStuck,
  needKey,
} from '../../../../testbed/demo/rehearsal/rehearsal-answers.js';
import { privateEnvironment } from '../../../../testbed/demo/rehearsal/private-environment.js';

const APPROVAL = { kind: 'approval', subject: 'wave main', names: [] };
const HELD = { kind: 'held', subject: '2 clusters', names: ['a', 'b'] };
const BUDGET = { kind: 'budget', subject: 'prod', names: [] };
const ASKED = { fleet: 'prod', quorums: new Map([['main', 2]]) };

describe('the people of a rehearsal', () => {
  it('as many as a wave asks for approve it, and none of them asked for the fleet', () => {
    const told = answersTo({ needs: [APPROVAL] }, new Set(), ASKED);
    expect(told.map(({ words }) => words.join(' '))).toEqual([
      'approve prod/wave/main --actor rehearsal-2',
      'approve prod/wave/main --actor rehearsal-3',
    ]);
    expect(told[0]?.told).toBe('wave main: approved by rehearsal (rehearsal-2)');
  });

  it('each cluster that is held or failed is rolled back', () => {
    const needs = [HELD, { ...HELD, kind: 'failed', names: ['c'] }];
    const told = answersTo({ needs }, new Set(), ASKED);
    expect(told.map(({ words }) => words[1])).toEqual(['prod/a', 'prod/b', 'prod/c']);
  });

  it('what was answered is not answered again, and what no one may decide here is left', () => {
    expect(answersTo({ needs: [APPROVAL] }, new Set([needKey(APPROVAL)]), ASKED)).toEqual([]);
    expect(answersTo({ needs: [BUDGET] }, new Set(), ASKED)).toEqual([]);
  });

  it.each([
    ['is not stuck where it asks for an approval', [APPROVAL], 'waiting', [], false],
    ['is not stuck while a cluster moves', [BUDGET], 'soaking', [], false],
    ['is not stuck where no one is needed', [], 'waiting', [], false],
    ['is stuck where the budget is spent', [BUDGET], 'waiting', [], true],
    ['is stuck where an approval changed nothing', [APPROVAL], 'waiting', [APPROVAL], true],
  ])('a fleet %s', (_case, needs, phase, answered, expected) => {
    expect(isStuck({ needs, phases: { a: phase } }, new Set(answered.map(needKey)))).toBe(expected);
  });
});

it('nothing of the environment names a server, a credential or an inventory to a rehearsal', () => {
  const own = { PATH: '/bin', TEMPORAL_CLI_PATH: '/t', CCM_MIGRATE_CACHE: '/c' };
  const real = {
    ...{ TEMPORAL_ADDRESS: 'temporal.example.net:7233', TEMPORAL_TLS_KEY: '/key' },
    ...{ CCM_MIGRATE_NAMESPACE: 'prod', CCM_MIGRATE_INVENTORY: '/prod.yaml' },
  };
  expect(privateEnvironment({ ...own, ...real })).toEqual(own);
});
