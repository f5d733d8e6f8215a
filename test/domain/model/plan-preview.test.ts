import { describe, expect, it } from '@jest/globals';
import { checkInvariants } from '../../../domain/invariants/run-invariants.js';
import type { TracePoint } from '../../../domain/invariants/trace.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
} from '../../../domain/observation/observation.js';
import {
  previewApproved,
  previewPlan,
  type PlanPreview,
} from '../../../domain/model/plan-preview.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { Step } from '../../../domain/decision/step.js';
import type { Target } from '../../../domain/vocabulary.js';
import { predictEffect } from '../../../domain/model/predict-effect.js';
import { endProcesses } from '../../../domain/model/processes.js';
import { settleElections } from '../../../domain/model/elections.js';
import { clusterOf, policyOf, type NodeSpec } from '../../support/cluster-builder.js';

const IN_TREE: NodeSpec = { kcm: 'inTree', ccm: 'none' };

function baseline(size: number): ClusterObservation {
  const nodes = Array.from({ length: size }, () => IN_TREE);
  const observation = clusterOf({
    nodes,
    kcmLeader: 1 % size,
    ccmLeader: 'free',
    migration: 'free',
  });
  return { ...observation, baseline: null };
}

function words({ step }: { step: Step }): string {
  const { effect } = step;
  if (effect.kind === 'changeManager') return `${step.name} ${effect.node}`;
  if (effect.kind === 'addMachine') return `${step.name} ${effect.machine}`;
  if (effect.kind === 'removeMachine') return `${step.name} ${effect.node}`;
  return step.name;
}

function end(
  start: ClusterObservation,
  { steps }: PlanPreview,
  policy: MigrationPolicy,
): ClusterObservation {
  return steps.reduce(
    (state, { step }) => settleElections(predictEffect(state, step.effect, policy)),
    start,
  );
}

/** Runs one direction, checks every invariant on it, and returns its steps as text and its final state. */
function direction(
  start: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): { readonly said: readonly string[]; readonly after: ClusterObservation } {
  const preview = previewPlan(start, target, policy);
  expect(preview.ending).toEqual({ kind: 'done' });
  const points = preview.steps.map(({ before, step }): TracePoint => ({
    observation: before,
    target,
    step,
    verdicts: [],
  }));
  expect(
    checkInvariants({ policy, points, mutations: [], pauses: [], orphanBudgetSeconds: 0 }),
  ).toEqual([]);
  return { said: preview.steps.map(words), after: end(start, preview, policy) };
}

describe('previewPlan', () => {
  it('previewPlan moves three nodes in place: leader last, one handover, and back the same way', () => {
    const policy = policyOf();
    const forward = direction(baseline(3), 'ccm', policy);
    expect(forward.said).toEqual([
      'recordBaseline',
      'grantLeaseAccess',
      'prepareCcm',
      'enableLeaderMigration cp-1',
      'enableLeaderMigration cp-3',
      'enableLeaderMigration cp-2',
      'startCcm cp-1',
      'startCcm cp-2',
      'startCcm cp-3',
      'externalizeKcm cp-2',
      'externalizeKcm cp-3',
      'externalizeKcm cp-1',
    ]);
    const back = direction(forward.after, 'kcm', policy);
    expect(back.said).toEqual([
      'restoreKcm cp-2',
      'restoreKcm cp-3',
      'restoreKcm cp-1',
      'stopCcm cp-2',
      'stopCcm cp-3',
      'stopCcm cp-1',
      'removeCcmAccess',
    ]);
    expect(direction(back.after, 'ccm', policy).after.nodes.map(({ side }) => side)).toEqual([
      'target',
      'target',
      'target',
    ]);
  });

  it('previewPlan replaces machines one at a time and never has fewer than before', () => {
    const policy = policyOf({ nodes: { forward: 'replace', rollback: 'replace' } });
    const forward = direction(baseline(3), 'ccm', policy);
    expect(forward.said.slice(6)).toEqual([
      'addMachine cp-4',
      'removeMachine cp-2',
      'addMachine cp-5',
      'removeMachine cp-3',
      'addMachine cp-6',
      'removeMachine cp-1',
    ]);
    const back = direction(forward.after, 'kcm', policy);
    expect(back.said).toEqual([
      'addMachine cp-7',
      'addMachine cp-8',
      'addMachine cp-9',
      'parkKcm cp-5',
      'parkKcm cp-6',
      'parkKcm cp-4',
      'removeMachine cp-5',
      'removeMachine cp-6',
      'removeMachine cp-4',
      'removeCcmAccess',
    ]);
  });

  it('previewPlan uses the gap where no lock is shared: off, proven off, on; and back', () => {
    const policy = policyOf({ strategy: 'gap' });
    const forward = direction(baseline(3), 'ccm', policy);
    expect(forward.said).toEqual([
      'recordBaseline',
      'prepareCcm',
      'parkKcm cp-1',
      'parkKcm cp-3',
      'externalizeKcm cp-2',
      'startCcm cp-1',
      'startCcm cp-2',
      'startCcm cp-3',
      'externalizeKcm cp-1',
      'externalizeKcm cp-3',
    ]);
    expect(direction(forward.after, 'kcm', policy).said).toEqual([
      'parkKcm cp-1',
      'parkKcm cp-3',
      'stopCcm cp-2',
      'stopCcm cp-3',
      'stopCcm cp-1',
      'restoreKcm cp-2',
      'restoreKcm cp-1',
      'restoreKcm cp-3',
      'removeCcmAccess',
    ]);
  });

  it('previewPlan switches Leader Migration off at the end, removes grant and Lease, and begins the rollback with them', () => {
    const policy = policyOf({
      disableLeaderMigration: 'afterSoak',
      leaderMigrationAfterRollback: 'off',
      rollWorkers: { enabled: true, batchSize: 2 },
    });
    const start = baseline(3);
    const workers = { ...start.inventory.workers, total: 4, ready: 4, kubeletInTree: 4 };
    const forward = direction(
      { ...start, inventory: { ...start.inventory, workers } },
      'ccm',
      policy,
    );
    expect(forward.said.slice(12)).toEqual([
      'rollWorkers',
      'disableLeaderMigration cp-2',
      'disableLeaderMigration cp-3',
      'disableLeaderMigration cp-1',
      'revokeLeaseAccess',
      'revokeLeaseAccess',
    ]);
    const back = direction(forward.after, 'kcm', policy);
    expect(back.said.slice(0, 4)).toEqual([
      'grantLeaseAccess',
      'protectCcm cp-2',
      'protectCcm cp-3',
      'protectCcm cp-1',
    ]);
    expect(back.after.access.leaseGrant).toBe('absent');
    expect(back.after.inventory.workers.kubeletInTree).toBe(4);
  });

  it('previewPlan switches the kubelets of workers after the gap, and back before the last CCM stops', () => {
    const policy = policyOf({ strategy: 'gap', rollWorkers: { enabled: true, batchSize: 2 } });
    const start = baseline(1);
    const workers = { ...start.inventory.workers, total: 2, ready: 2, kubeletInTree: 2 };
    const forward = direction(
      { ...start, inventory: { ...start.inventory, workers } },
      'ccm',
      policy,
    );
    expect(forward.said.slice(-2)).toEqual(['startCcm cp-1', 'rollWorkers']);
    const back = direction(forward.after, 'kcm', policy);
    expect(back.said.slice(0, 2)).toEqual(['rollWorkers', 'stopCcm cp-1']);
  });

  it('previewPlan takes no kubelet for switched unless it is known to be, in either direction', () => {
    const policy = policyOf({ strategy: 'gap', rollWorkers: { enabled: true, batchSize: 2 } });
    const { after } = direction(baseline(1), 'ccm', policy);
    const withWorkers = (known: object): ClusterObservation => ({
      ...after,
      inventory: {
        ...after.inventory,
        workers: { ...after.inventory.workers, total: 2, ...known },
      },
    });
    expect(direction(withWorkers({ kubeletExternal: 2 }), 'ccm', policy).said).toEqual([]);
    expect(direction(withWorkers({ kubeletExternal: 1 }), 'ccm', policy).said).toEqual([
      'rollWorkers',
    ]);
    const back = (known: object): string | undefined =>
      direction(withWorkers(known), 'kcm', policy).said[0];
    expect(back({ kubeletInTree: 2 })).toBe('stopCcm cp-1');
    expect(back({ kubeletInTree: 1 })).toBe('rollWorkers');
  });

  it('previewPlan waits for what kubelets start, but not for ever for what only crashes', () => {
    const policy = policyOf();
    const { after } = direction(baseline(3), 'ccm', policy);
    const starting = after.nodes.reduce(
      (current, { name }) => endProcesses(current, name, 'kcm'),
      after,
    );
    expect(direction(starting, 'ccm', policy).said).toEqual(['awaitElection']);
    const crashing = { ...after, nodes: after.nodes.map(withCrashingKcm) };
    const preview = previewPlan(crashing, 'ccm', policy);
    expect(preview.steps.map(words)).toEqual(['awaitElection']);
    expect(preview.ending).toMatchObject({ kind: 'step', step: { name: 'awaitElection' } });
  });

  it('previewPlan stops a CCM that is refused the lock; the owning KCM keeps its loops until another can take them', () => {
    const refused = clusterOf({
      nodes: [
        { kcm: 'inTree', ccm: 'none' },
        { kcm: 'inTree', ccm: 'on' },
      ],
      ...{ kcmLeader: 0, ccmLeader: 1, migration: 'free', granted: false },
    });
    const { said } = direction(refused, 'ccm', policyOf());
    expect(said[0]).toBe('isolateUnprotectedKcm cp-2');
    expect(said).toContain('enableLeaderMigration cp-1');
  });
});

describe('a plan past what others have to approve', () => {
  const missing = ((): ClusterObservation => {
    const whole = clusterOf({
      nodes: [IN_TREE, IN_TREE, IN_TREE],
      ...{ kcmLeader: 0, ccmLeader: 'free', migration: 'free' },
    });
    return { ...whole, nodes: whole.nodes.slice(0, 2) };
  })();

  it('goes on as if it was approved, and says what the run will hold for', () => {
    const preview = previewApproved(missing, 'ccm', policyOf());
    expect(preview.asked.map(({ code }) => code)).toEqual(['CCM2020']);
    expect(preview.ending).toEqual({ kind: 'done' });
    expect(preview.steps.length).toBeGreaterThan(5);
  });

  it('ends where something else holds it too', () => {
    const [first, ...others] = missing.nodes;
    if (first === undefined) throw new Error('no node');
    const hidden = { ...missing, nodes: [{ ...first, reachable: false }, ...others] };
    const preview = previewApproved(hidden, 'ccm', policyOf());
    expect(preview.asked).toEqual([]);
    expect(preview.ending).toMatchObject({ kind: 'blocked', findings: [{ code: 'CCM2001' }] });
  });
});

function withCrashingKcm({ kcm, ...node }: ControlPlaneNode): ControlPlaneNode {
  const processes = kcm.processes.map((process) => ({
    ...process,
    liveness: 'crashLooping' as const,
  }));
  return { ...node, kcm: { ...kcm, processes } };
}
