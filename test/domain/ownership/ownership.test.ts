import { describe, expect, it } from '@jest/globals';
import {
  addObservation,
  emptyTrace,
  leaderIn,
  orphanNow,
  confirmedStaleOwners,
  summarizeTrace,
  unseenSince,
} from '../../../domain/ownership/ownership.js';
import type { OwnershipTrace } from '../../../domain/ownership/ownership-trace.js';
import type {
  ClusterObservation,
  ManagerConfig,
  ManagerSlot,
} from '../../../domain/observation/observation.js';
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
const NO_ONE: ClusterSpec = { ...KCM_OWNS, migration: 'free' };
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

/** Like an observation in which no node could be read. */
const NOT_READ: ClusterSpec = { ...KCM_OWNS };

function observationOf(spec: ClusterSpec): ClusterObservation {
  const snapshot = clusterOf(spec);
  if (spec !== NOT_READ) return snapshot;
  return { ...snapshot, nodes: snapshot.nodes.map((node) => ({ ...node, reachable: false })) };
}

function traced(samples: readonly Sample[]) {
  return samples.reduce(
    (trace, [spec, at, acquired]) =>
      addObservation(trace, { ...observationOf(spec), observedAtMs: at * 1000 }, () =>
        acquired === undefined ? null : acquired * 1000,
      ),
    emptyTrace(['service', 'route'], 0),
  );
}

describe('the leading side according to a trace', () => {
  it.each<[string, readonly Sample[], ReturnType<typeof leaderIn>]>([
    ['before the first observation', [], { owner: 'unknown', nodes: [] }],
    ['one side', [[KCM_OWNS, 1]], { owner: 'kcm', nodes: ['cp-1'] }],
    ['the other side', [[CCM_OWNS, 1]], { owner: 'ccm', nodes: ['cp-1'] }],
    ['no one', [[NO_ONE, 1]], { owner: 'none', nodes: [] }],
    ['two', [[BOTH, 1]], { owner: 'both', nodes: expect.anything() as never }],
    [
      'not read',
      [
        [KCM_OWNS, 1],
        [NOT_READ, 2],
      ],
      { owner: 'unknown', nodes: [] },
    ],
  ])('a trace shows the leading side: %s', (_case, samples, expected) => {
    expect(leaderIn(traced(samples))).toEqual(expected);
  });

  it('controllers on both sides count as two leading sides', () => {
    const [kcm, ccm] = [traced([[KCM_OWNS, 1]]), traced([[CCM_OWNS, 1]])];
    const controllers = [...kcm.controllers.slice(0, 1), ...ccm.controllers.slice(1)];
    expect(leaderIn({ atMs: 0, controllers }).owner).toBe('both');
  });
});

describe('ownership over successive observations', () => {
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
      'lost between two observations: half of the interval',
      [
        [KCM_OWNS, 0],
        [NO_ONE, 4],
      ],
      0,
      2,
      0,
    ],
    [
      'taken at acquireTime',
      [
        [KCM_OWNS, 0],
        [NO_ONE, 0],
        [CCM_OWNS, 4, 3],
      ],
      0,
      3,
      1,
    ],
    [
      'a move that no observation caught in progress',
      [
        [KCM_OWNS, 0],
        [CCM_OWNS, 4, 2],
      ],
      0,
      1,
      1,
    ],
    [
      'acquired before the observation: not counted below zero',
      [
        [NO_ONE, 0],
        [NO_ONE, 5],
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
  ] as const)(
    'the time of ownership is counted: %s',
    (_name, samples, overlapSeconds, orphanSeconds, moves) => {
      const figures = { overlapSeconds, orphanSeconds, unknownSeconds: 0, moves };
      expect(summarizeTrace(traced(samples))).toEqual(figures);
    },
  );

  it.each<readonly [string, readonly Sample[], unknown: number, moves: number]>([
    [
      'neither owned nor lost',
      [
        [KCM_OWNS, 0],
        [NOT_READ, 4],
        [NOT_READ, 9],
        [CCM_OWNS, 20, 2],
        [CCM_OWNS, 25],
      ],
      ...([16, 1] as const),
    ],
    [
      'from the first observation on',
      [
        [NOT_READ, 2],
        [KCM_OWNS, 5],
      ],
      ...([3, 0] as const),
    ],
  ])(
    'time that could not be read is reported separately: %s',
    (_name, samples, unknownSeconds, moves) => {
      const figures = { overlapSeconds: 0, orphanSeconds: 0, unknownSeconds, moves };
      expect(summarizeTrace(traced(samples))).toEqual(figures);
    },
  );

  it('ownership knows how long a controller has had no owner, and survives JSON', () => {
    const trace = traced([
      [KCM_OWNS, 0],
      [NO_ONE, 2],
      [NO_ONE, 7],
    ]);
    expect(orphanNow(trace)).toBe(6000);
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
    expect(
      orphanNow(
        traced([
          [NO_ONE, 0],
          [KCM_OWNS, 3],
        ]),
      ),
    ).toBe(0);
  });

  it('time without observations counts as unknown, not as what was observed before it', () => {
    const both = { ...clusterOf(BOTH), observedAtMs: 2000 };
    const seen = addObservation(emptyTrace(['service', 'route'], 0), both, () => null);
    const gap = (trace: OwnershipTrace): OwnershipTrace =>
      addObservation(trace, { ...clusterOf(CCM_OWNS), observedAtMs: 62_000 }, () => null);
    expect(summarizeTrace(gap(seen))).toMatchObject({ overlapSeconds: 60, unknownSeconds: 0 });
    expect(summarizeTrace(gap(unseenSince(seen)))).toMatchObject({
      ...{ overlapSeconds: 0, unknownSeconds: 60 },
    });
    // Nothing was observed yet, so nothing was missed.
    const fresh = emptyTrace(['service'], 0);
    expect(unseenSince(fresh)).toEqual(fresh);
  });
});

describe('a controller that every manager has switched off', () => {
  it('needs no owner: the time without one is neither lost nor unknown', () => {
    const off = observationOf(KCM_OWNS);
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
      (before, at) =>
        addObservation(before, { ...withoutRoutes, observedAtMs: at * 1000 }, () => null),
      emptyTrace(['service', 'route'], 0),
    );
    expect(orphanNow(trace)).toBe(0);
    expect(summarizeTrace(trace)).toMatchObject({ orphanSeconds: 0, unknownSeconds: 0 });
  });
});

/** Without routes, and otherwise unchanged. */
function switchedOff({ manifest, processes }: ManagerSlot): ManagerSlot {
  const off = (config: ManagerConfig): ManagerConfig => ({ ...config, routes: false });
  return {
    manifest:
      manifest.state === 'present' ? { ...manifest, config: off(manifest.config) } : manifest,
    processes: processes.map((process) => ({ ...process, config: off(process.config) })),
  };
}

describe('a stale owner that woke and keeps acting', () => {
  /** The KCM of cp-1 is a stale owner while the CCM holds the lock. */
  const believing: ClusterObservation = {
    ...observationOf(CCM_OWNS),
    nodes: observationOf(CCM_OWNS).nodes.map((node, index) => ({
      ...node,
      kcm: {
        ...node.kcm,
        processes: node.kcm.processes.map((process) =>
          index === 0 ? { ...process, locks: { main: 'held', migration: 'held' } } : process,
        ),
      },
    })),
  };
  const begun = emptyTrace(['service', 'route'], 0);
  const add = (trace: OwnershipTrace, snapshot: ClusterObservation, at: number): OwnershipTrace =>
    addObservation(trace, { ...snapshot, observedAtMs: at * 1000 }, () => null);

  it('is confirmed by two consecutive observations, and counts as an owner from the second on', () => {
    const once = add(begun, believing, 1);
    const twice = add(once, believing, 3);
    expect(confirmedStaleOwners(begun, once)).toEqual([]);
    expect(confirmedStaleOwners(once, twice)).toEqual(['kcm:cp-1#100']);
    expect(summarizeTrace(add(twice, believing, 8)).overlapSeconds).toBe(5);
  });

  it('is not confirmed across a gap between observations, nor for a controller that was not observed', () => {
    const once = add(begun, believing, 1);
    const other = add(emptyTrace(['cloud-node-lifecycle'], 0), believing, 1);
    expect(confirmedStaleOwners(unseenSince(once), add(once, believing, 3))).toEqual([]);
    expect(confirmedStaleOwners(other, add(once, believing, 3))).toEqual([]);
    expect(confirmedStaleOwners(once, begun)).toEqual([]);
  });
});
