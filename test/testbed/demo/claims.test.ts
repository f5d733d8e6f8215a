import { describe, expect, it } from '@jest/globals';
import type { Claim } from '../../../testbed/demo/claims.js';
import { claimsOf } from '../../../testbed/demo/claims.js';
import { demoReport } from '../../../testbed/demo/report.js';
import type { DirectionRun, LoopTruth } from '../../../testbed/demo/direction-run.js';
import { truthBetween } from '../../../testbed/demo/direction-run.js';
import type { Truth } from '../../../testbed/base/truth/truth.js';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { Ajv } from 'ajv';
import { outcomeOf } from '../../cli/given-runs.js';

function loop(changes: Partial<LoopTruth> = {}): LoopTruth {
  return {
    overlapSeconds: 0,
    orphanSeconds: 4,
    moves: 2,
    orphans: [
      { fromMs: 1, seconds: 1.5 },
      { fromMs: 9, seconds: 2.5 },
    ],
    owners: ['ccm:cp-4#9'],
    ...changes,
  };
}

function direction(
  target: 'ccm' | 'kcm',
  changes: Partial<LoopTruth> = {},
  outcome = outcomeOf(),
): DirectionRun {
  const truth = loop(changes);
  return {
    ...{ name: target === 'ccm' ? 'forward' : 'rollback', target },
    exitStatus: 'reached',
    outcome: { ...outcome, target },
    durationSeconds: 60,
    historyEvents: 120,
    requests: { steps: 0, guard: 0, nodes: 0 },
    mutations: 30,
    truth: { service: truth, route: truth, 'cloud-node-lifecycle': truth },
    ...{ sources: null, turnedBy: '' },
    writes: { files: 6, unplanned: [] },
  };
}

const FORWARD = direction('ccm');
const BACK = direction('kcm', { owners: ['kcm:cp-1#7'] });
const CAUSE = 'servicesKeepWorking (CCM3104): checkout fails';
const CONTEXT = {
  ...{ guardMs: 500, observationMs: 500, speed: 1, environment: 'the simulator' },
  expected: { forwardMoves: 2, longestOrphanSeconds: 6.5 },
};

function untrue(claims: readonly Claim[]): readonly string[] {
  return claims.filter(({ holds }) => !holds).map(({ claim }) => claim);
}

describe('the claims of the demo', () => {
  it('the claims hold for a good run', () => {
    expect(untrue(claimsOf({ forward: FORWARD, back: BACK }, CONTEXT))).toEqual([]);
  });

  it.each<[string, DirectionRun, DirectionRun, readonly string[]]>([
    ['two owners', direction('ccm', { overlapSeconds: 0.1 }), BACK, ['forward: never two owners']],
    [
      'two owners during rollback',
      FORWARD,
      direction('kcm', { owners: ['kcm:a'], overlapSeconds: 0.1 }),
      ['rollback: never two owners'],
    ],
    ['a third move', direction('ccm', { moves: 3 }), BACK, ['forward: 2 leadership moves']],
    [
      'a long gap',
      direction('ccm', { orphans: [{ fromMs: 1, seconds: 6.6 }] }),
      BACK,
      ['forward: at most 6.5 s without owner in each move'],
    ],
    [
      'no owner at the end',
      direction('ccm', { owners: [] }),
      BACK,
      ['forward: the CCM owns the cloud controllers'],
    ],
    [
      'the wrong owner at the end',
      FORWARD,
      direction('kcm'),
      ['rollback: the KCMs own them again, in-tree'],
    ],
    [
      'a run that failed',
      direction('ccm', {}, outcomeOf({ kind: 'failed' })),
      BACK,
      ['forward: the CCM owns the cloud controllers'],
    ],
    [
      'a report with wrong figures',
      direction('ccm', { orphanSeconds: 9 }),
      BACK,
      ["forward: the product's report agrees with the simulator"],
    ],
    [
      'a missing report',
      direction('ccm', {}, outcomeOf({ guard: null })),
      BACK,
      ["forward: the product's report agrees with the simulator"],
    ],
    [
      'an overlap that only the product reports',
      direction(
        'ccm',
        {},
        outcomeOf({ guard: { overlapSeconds: 1, orphanSeconds: 4, unknownSeconds: 0, moves: 2 } }),
      ),
      BACK,
      ["forward: the product's report agrees with the simulator"],
    ],
  ])('the claims fail for %s', (_case, forward, back, expected) => {
    expect(untrue(claimsOf({ forward, back }, CONTEXT))).toEqual(expected);
  });

  it('the claims fail for a file that differs from every plan', () => {
    const forward = { ...FORWARD, writes: { files: 6, unplanned: ['cp-1:/x'] } };
    expect(untrue(claimsOf({ forward, back: BACK }, CONTEXT))).toEqual([
      'forward: files were written exactly as planned',
    ]);
  });

  it.each<[string, Partial<DirectionRun>, boolean]>([
    ['by a gate that failed', {}, true],
    ['without a gate', { turnedBy: '' }, false],
    ['and did not end there', { outcome: outcomeOf({ kind: 'failed' }) }, false],
  ])('a run that was turned around %s', (_case, changes, holds) => {
    const turned = { ...BACK, name: 'turned by a gate', turnedBy: CAUSE, ...changes };
    const claims = claimsOf({ forward: FORWARD, back: BACK, turned }, CONTEXT);
    const own = claims.find(({ claim }) => claim.startsWith('a gate: '));
    expect(own?.holds).toBe(holds);
    if (holds) expect(own?.seen).toContain(CAUSE);
  });

  it('the printed report matches its published schema', () => {
    const claims = claimsOf({ forward: FORWARD, back: BACK }, CONTEXT);
    const report = demoReport([FORWARD, BACK], claims);
    const document = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'DemoReport', ...report };
    expect(new Ajv({ strict: false }).compile(jsonSchemaOf('DemoReport'))(document)).toBe(true);
  });
});

describe('truthBetween', () => {
  it('only events after the start of a direction are counted', () => {
    const at = (nowMs: number, orphanSeconds: number, moves: number): Truth => {
      const one = {
        ...{ overlapSeconds: 0, orphanSeconds, moves },
        intervals: [{ fromMs: 0, toMs: null, owners: ['kcm:cp-1#1'] }],
        orphans: [
          { fromMs: 10, toMs: 20, seconds: 0.01 },
          { fromMs: 110, toMs: 120, seconds: 0.01 },
        ].filter(({ fromMs }) => fromMs < nowMs),
      };
      return {
        nowMs,
        cloudCalls: 0,
        controllers: { service: one, route: one, 'cloud-node-lifecycle': one },
      };
    };
    expect(truthBetween(at(100, 1, 1), at(200, 3, 2)).service).toEqual({
      overlapSeconds: 0,
      orphanSeconds: 2,
      moves: 1,
      orphans: [{ fromMs: 110, seconds: 0.01 }],
      owners: ['kcm:cp-1#1'],
    });
  });
});
