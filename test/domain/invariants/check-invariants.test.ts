import { describe, expect, it } from '@jest/globals';
import { checkInvariants } from '../../../domain/invariants/run-invariants.js';
import type { RunTrace, TracePoint } from '../../../domain/invariants/trace.js';
import { nextStep } from '../../../domain/decision/next-step.js';
import type { ClusterObservation, ManagerConfig } from '../../../domain/observation/observation.js';
import type { Step } from '../../../domain/decision/step.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../support/cluster-builder.js';

const SHARED = { kcm: 'inTreeLm', ccm: 'on' } as const;
const HEALTHY: ClusterSpec = {
  nodes: [SHARED, SHARED, SHARED],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};

function at(observation: ClusterObservation, changes: Partial<TracePoint> = {}): TracePoint {
  return { observation, target: 'ccm', step: null, verdicts: [], ...changes };
}

function traceOf(points: readonly TracePoint[], changes: Partial<RunTrace> = {}): RunTrace {
  return {
    policy: policyOf(),
    points,
    mutations: [],
    pauses: [],
    orphanBudgetSeconds: 10,
    ...changes,
  };
}

function stepFrom(observation: ClusterObservation, node?: string): Step {
  const decision = nextStep(observation, 'ccm', policyOf());
  if (decision.kind !== 'step') throw new Error(`no step: ${decision.kind}`);
  const { step } = decision;
  return node === undefined || step.effect.kind !== 'changeManager'
    ? step
    : { ...step, effect: { ...step.effect, node } };
}

const healthy = clusterOf(HEALTHY);
const sick = (names: readonly string[]): ClusterObservation => ({
  ...healthy,
  nodes: healthy.nodes.map((node) => (names.includes(node.name) ? { ...node, ready: 'no' } : node)),
});
const doubled = clusterOf({ ...HEALTHY, nodes: [SHARED, { kcm: 'inTreeLm', ccm: 'off' }, SHARED] });
const bare = clusterOf({
  ...HEALTHY,
  nodes: HEALTHY.nodes.map(() => ({ kcm: 'inTree', ccm: 'none' }) as const),
  ccmLeader: 'free',
  migration: 'free',
});
const migrated = clusterOf({
  ...HEALTHY,
  nodes: HEALTHY.nodes.map(() => ({ kcm: 'external', ccm: 'on' }) as const),
  migration: { manager: 'ccm', node: 1 },
});
const verifies: Step = {
  name: 'verify',
  phase: 'verify',
  why: '',
  effect: { kind: 'verify', since: healthy.inventory },
  cures: [],
};
const hidden: ClusterObservation = {
  ...healthy,
  nodes: healthy.nodes.map((node) => ({ ...node, reachable: false })),
};
const later = (observation: ClusterObservation, seconds: number): ClusterObservation => ({
  ...observation,
  observedAtMs: observation.observedAtMs + seconds * 1000,
});
const withoutRoutes = (config: ManagerConfig): ManagerConfig => ({ ...config, routes: false });
const routeless: ClusterObservation = {
  ...bare,
  nodes: bare.nodes.map(({ kcm, ...node }) => ({
    ...node,
    kcm: {
      manifest:
        kcm.manifest.state === 'present'
          ? { ...kcm.manifest, config: withoutRoutes(kcm.manifest.config) }
          : kcm.manifest,
      processes: kcm.processes.map((one) => ({ ...one, config: withoutRoutes(one.config) })),
    },
  })),
  baseline: null,
};
const stacked = (sickOnes: readonly string[]): ClusterObservation => ({
  ...healthy,
  etcd: {
    topology: 'stacked',
    members: ['cp-1', 'cp-2'].map((name) => ({
      node: name,
      name,
      voter: 'yes',
      healthy: sickOnes.includes(name) ? 'no' : 'yes',
      leader: false,
    })),
  },
});
/** As where no machine provider tells who votes. */
const untold = (observation: ClusterObservation): ClusterObservation => {
  const { topology, members } = observation.etcd;
  const unknown = members.map((member) => ({ ...member, voter: 'unknown' as const }));
  return { ...observation, etcd: { topology, members: unknown } };
};
const firstOf = (etcd: ClusterObservation['etcd']): ClusterObservation['etcd'] => ({
  ...etcd,
  members: etcd.members.slice(0, 1),
});
/** No KCM will ever lead again, so no CCM may stop. */
const noReturn = ((): ClusterObservation => {
  const byCcm = clusterOf({
    ...HEALTHY,
    kcmLeader: 'free',
    migration: { manager: 'ccm', node: 1 },
  });
  const nodes = byCcm.nodes.map((node) => ({
    ...node,
    kcm: {
      ...node.kcm,
      processes: node.kcm.processes.map(
        (process) => ({ ...process, liveness: 'crashLooping' }) as const,
      ),
    },
  }));
  return { ...byCcm, nodes };
})();
const orphaned = clusterOf({ ...HEALTHY, migration: 'dead' });

describe('checkInvariants', () => {
  it.each([
    { name: 'a healthy trace keeps every promise', trace: traceOf([at(healthy)]), broken: [] },
    { name: 'I1 two owners', trace: traceOf([at(doubled)]), broken: ['I1'] },
    {
      name: 'I2 a step that puts a CCM beside an unprotected KCM',
      trace: traceOf([at(bare, { step: stepFrom(bare) }), at(doubled)]),
      broken: ['I1', 'I2'],
    },
    {
      name: 'I3 no owner for longer than the budget',
      trace: traceOf([at(healthy), at(later(orphaned, 1)), at(later(healthy, 20))]),
      broken: ['I3', 'I3', 'I3'],
    },
    {
      name: 'I3 not: what every manager has switched off needs no owner',
      trace: traceOf([at(routeless), at(later(routeless, 600))]),
      broken: [],
    },
    { name: 'I4 two nodes down', trace: traceOf([at(sick(['cp-1', 'cp-2']))]), broken: ['I4'] },
    {
      name: 'I4 one voter of two is healthy',
      trace: traceOf([at(stacked(['cp-2']))]),
      broken: ['I4'],
    },
    {
      name: 'I4 one of two nodes shows no member',
      trace: traceOf([at({ ...healthy, etcd: firstOf(stacked([]).etcd) })]),
      broken: ['I4'],
    },
    { name: 'I4 every voter is healthy', trace: traceOf([at(stacked([]))]), broken: [] },
    {
      name: 'I4 every member is healthy, and no provider tells who votes',
      trace: traceOf([at(untold(stacked([])))]),
      broken: [],
    },
    {
      name: 'I4 one of two members is not, and no provider tells who votes',
      trace: traceOf([at(untold(stacked(['cp-2'])))]),
      broken: ['I4'],
    },
    {
      name: 'I5 the holder before the others',
      trace: traceOf([at(healthy, { step: stepFrom(healthy, 'cp-1') })]),
      broken: ['I5'],
    },
    {
      name: 'I5 an unhealthy holder may go first',
      trace: traceOf([at(sick(['cp-1']), { step: stepFrom(healthy, 'cp-1') })]),
      broken: [],
    },
    {
      name: 'I6 the same step twice though it had not worked',
      trace: traceOf([
        at(healthy, { step: stepFrom(healthy) }),
        at(healthy, { step: stepFrom(healthy) }),
      ]),
      broken: ['I6'],
    },
    {
      name: 'I6 not: a step that did not end well is tried again',
      trace: traceOf([
        at(healthy, { step: stepFrom(healthy), failed: true }),
        at(healthy, { step: stepFrom(healthy) }),
      ]),
      broken: [],
    },
    { name: 'I7 a rollback that never ends', trace: traceOf([at(noReturn)]), broken: ['I7'] },
    {
      name: 'I8 a write under an older epoch',
      trace: traceOf([], { mutations: [{ atMs: 5, epoch: 1, fenceEpoch: 2 }] }),
      broken: ['I8'],
    },
    {
      name: 'I8 a step while a gate that it does not cure is closed',
      trace: traceOf([
        at(healthy, {
          step: stepFrom(healthy),
          verdicts: [
            { gate: 'quorum', hardness: 'hard', verdict: 'noData', detail: '', code: 'CCM3003' },
          ],
        }),
      ]),
      broken: ['I8'],
    },
    {
      name: 'I9 a step taken from the unknown',
      trace: traceOf([at(hidden, { step: stepFrom(healthy) })]),
      broken: ['I9'],
    },
    {
      name: 'I9 not: the end is verified where nothing is left to do',
      trace: traceOf([at(migrated, { step: verifies })]),
      broken: [],
    },
    {
      name: 'I9 any other step where nothing is left to do',
      trace: traceOf([at(migrated, { step: stepFrom(healthy) })]),
      broken: ['I9'],
    },
    {
      name: 'I10 a write while paused',
      trace: traceOf([], {
        mutations: [{ atMs: 5, epoch: 1, fenceEpoch: 1 }],
        pauses: [{ fromMs: 1, toMs: 9 }],
      }),
      broken: ['I10'],
    },
  ])('$name', ({ trace, broken }) => {
    expect(checkInvariants(trace).map(({ invariant }) => invariant)).toEqual(broken);
  });
});
