import { describe, expect, it } from '@jest/globals';
import { breachChange } from '../../../activities/guard/guard-breaches.js';
import {
  addLook,
  emptyTrace,
  orphanNow,
  summarizeTrace,
} from '../../../activities/guard/ownership-trace.js';
import type { FenceRecord } from '../../../activities/fence/fence-record.js';
import type {
  ClusterObservation,
  ManagerConfig,
  ManagerSlot,
} from '../../../domain/observation.js';
import type { GateVerdict, Verdict } from '../../../domain/gates.js';
import { clusterOf, type ClusterSpec } from '../../support/cluster-builder.js';

const KCM_OWNS: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 0,
  migration: { manager: 'kcm', node: 0 },
};
const NOBODY: ClusterSpec = { ...KCM_OWNS, migration: 'free' };
const CCM_OWNS: ClusterSpec = { ...KCM_OWNS, migration: { manager: 'ccm', node: 0 } };
const BOTH: ClusterSpec = {
  ...KCM_OWNS,
  nodes: [
    { kcm: 'inTree', ccm: 'off' },
    { kcm: 'inTree', ccm: 'none' },
  ],
  migration: 'free',
};

type Sample = readonly [spec: ClusterSpec, atSeconds: number, acquiredSeconds?: number];

/** As a look is in which no node could be read. */
const UNREAD: ClusterSpec = { ...KCM_OWNS };

function lookOf(spec: ClusterSpec): ClusterObservation {
  const look = clusterOf(spec);
  if (spec !== UNREAD) return look;
  return { ...look, nodes: look.nodes.map((node) => ({ ...node, reachable: false })) };
}

function traced(samples: readonly Sample[]) {
  return samples.reduce(
    (trace, [spec, at, acquired]) =>
      addLook(trace, { ...lookOf(spec), observedAtMs: at * 1000 }, () =>
        acquired === undefined ? null : acquired * 1000,
      ),
    emptyTrace(['service', 'route'], 0),
  );
}

describe('ownership as the guard sees it', () => {
  it.each([
    [
      'one owner all the time',
      [
        [KCM_OWNS, 0],
        [KCM_OWNS, 10],
      ],
      0,
      0,
      0,
    ],
    [
      'lost between two looks: half of the interval',
      [
        [KCM_OWNS, 0],
        [NOBODY, 4],
      ],
      0,
      2,
      0,
    ],
    [
      'taken at acquireTime',
      [
        [KCM_OWNS, 0],
        [NOBODY, 0],
        [CCM_OWNS, 4, 3],
      ],
      0,
      3,
      1,
    ],
    [
      'a move that no look saw open',
      [
        [KCM_OWNS, 0],
        [CCM_OWNS, 4, 2],
      ],
      0,
      1,
      1,
    ],
    [
      'acquired before the look: not counted below zero',
      [
        [NOBODY, 0],
        [NOBODY, 5],
        [KCM_OWNS, 9, 1],
      ],
      0,
      5,
      0,
    ],
    [
      'two owners',
      [
        [BOTH, 0],
        [BOTH, 3],
        [KCM_OWNS, 5],
      ],
      5,
      0,
      0,
    ],
  ] as const)('%s', (_name, samples, overlapSeconds, orphanSeconds, moves) => {
    const figures = { overlapSeconds, orphanSeconds, unknownSeconds: 0, moves };
    expect(summarizeTrace(traced(samples))).toEqual(figures);
  });

  it.each<readonly [string, readonly Sample[], unknown: number, moves: number]>([
    [
      'neither owned nor lost',
      [
        [KCM_OWNS, 0],
        [UNREAD, 4],
        [UNREAD, 9],
        [CCM_OWNS, 20, 2],
        [CCM_OWNS, 25],
      ],
      ...([16, 1] as const),
    ],
    [
      'from the first look on',
      [
        [UNREAD, 2],
        [KCM_OWNS, 5],
      ],
      ...([3, 0] as const),
    ],
  ])('what could not be read is told apart: %s', (_name, samples, unknownSeconds, moves) => {
    const figures = { overlapSeconds: 0, orphanSeconds: 0, unknownSeconds, moves };
    expect(summarizeTrace(traced(samples))).toEqual(figures);
  });

  it('goes on with the memory of a worker that did not count what is unknown', () => {
    const { controllers, atMs } = traced([[UNREAD, 2]]);
    const older = { atMs, controllers: controllers.map(({ unknownMs: _, ...rest }) => rest) };
    const look = { ...clusterOf(KCM_OWNS), observedAtMs: 5000 };
    expect(summarizeTrace(addLook(older, look, () => null)).unknownSeconds).toBe(3);
  });

  it('knows how long it has been without an owner, and survives JSON', () => {
    const trace = traced([
      [KCM_OWNS, 0],
      [NOBODY, 2],
      [NOBODY, 7],
    ]);
    expect(orphanNow(trace)).toBe(6000);
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
    expect(
      orphanNow(
        traced([
          [NOBODY, 0],
          [KCM_OWNS, 3],
        ]),
      ),
    ).toBe(0);
  });
});

describe('a controller that every manager has switched off', () => {
  it('is owed no owner: the time without one is neither lost nor unknown', () => {
    const off = lookOf(KCM_OWNS);
    const withoutRoutes = {
      ...off,
      baseline: null,
      nodes: off.nodes.map(({ kcm, ccm, ...node }) => ({
        ...node,
        kcm: switchedOff(kcm),
        ccm: switchedOff(ccm),
      })),
    };
    const trace = [0, 60, 120].reduce(
      (before, at) => addLook(before, { ...withoutRoutes, observedAtMs: at * 1000 }, () => null),
      emptyTrace(['service', 'route'], 0),
    );
    expect(orphanNow(trace)).toBe(0);
    expect(summarizeTrace(trace)).toMatchObject({ orphanSeconds: 0, unknownSeconds: 0 });
  });
});

/** Without routes, and otherwise as it was. */
function switchedOff({ manifest, processes }: ManagerSlot): ManagerSlot {
  const off = (config: ManagerConfig): ManagerConfig => ({ ...config, routes: false });
  return {
    manifest:
      manifest.state === 'present' ? { ...manifest, config: off(manifest.config) } : manifest,
    processes: processes.map((process) => ({ ...process, config: off(process.config) })),
  };
}

describe('what the guard notes in the fence', () => {
  const fence = (breach: string): FenceRecord => ({
    resourceVersion: '1',
    runId: 'r',
    workflowId: 'w',
    actor: 'a',
    epoch: 1,
    guardedEpoch: 1,
    nonce: 'n',
    breach,
    acknowledged: [],
    displaced: '',
    ended: [],
    mode: 'active',
    renewedAtMs: 0,
  });
  const verdict = (code: string, value: Verdict, detail = 'x'): GateVerdict => ({
    gate: 'g',
    hardness: 'hard',
    verdict: value,
    detail,
    code,
  });

  it.each([
    ['a new breach', '', [verdict('CCM3001', 'fail')], true, 'CCM3001 g: x'],
    [
      'the same with other figures',
      'CCM3001 g: x',
      [verdict('CCM3001', 'fail', 'y')],
      false,
      'CCM3001 g: y',
    ],
    [
      'a second one',
      'CCM3001 g: x',
      [verdict('CCM3001', 'fail'), verdict('CCM3005', 'fail')],
      true,
      'CCM3001 g: x\nCCM3005 g: x',
    ],
    ['cured', 'CCM3001 g: x', [verdict('CCM3001', 'pass')], true, ''],
    [
      'cannot be read: it stays',
      'CCM3001 g: x',
      [verdict('CCM3001', 'error')],
      false,
      'CCM3001 g: x',
    ],
    ['unread alone is no breach', '', [verdict('CCM3001', 'error')], false, ''],
  ] as const)('%s', (_name, before, verdicts, changed, text) => {
    expect(breachChange(fence(before), verdicts)).toEqual({ changed, text });
  });
});
