import { countedMembers } from '../observation/voting-members.js';
import { factsOf, type ClusterFacts } from '../ownership/cluster-facts.js';
import { managerProcesses, ownerOf } from '../ownership/owners.js';
import { nextStep } from '../decision/next-step.js';
import { addObservation, emptyTrace } from '../ownership/ownership.js';
import type { ControllerTrace, OwnershipTrace } from '../ownership/ownership-trace.js';
import { previewPlan } from '../model/plan-preview.js';
import type { Step } from '../decision/step.js';
import { sharesLock } from '../decision/steps/step-rule.js';
import type { InvariantBreach, InvariantName, RunTrace, TracePoint } from './trace.js';

/**
 * I1: one owner per migrated controller; an overlap only while a woken process is a stale owner. What an in-tree provider
 * writes outside its controllers has no lock and is not judged: vSphere sets zone and region labels from a listener on Nodes,
 * which each KCM starts with whichever lock it wins, the main lock included, until that KCM is external.
 * Source: kubernetes/legacy-cloud-providers v0.29.0 vsphere/vsphere.go SetInformers, syncNodeZoneLabels;
 * kubernetes/kubernetes cmd/kube-controller-manager/app/cloudproviders.go, controllermanager.go CreateControllerContext,
 * v1.29.
 */
export function oneOwner({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return each(points, 'I1', ({ observation }) => {
    const paused = managerProcesses(observation).some(
      ({ process }) => process.liveness === 'paused',
    );
    const doubled = policy.lock.controllers.filter(
      (controller) => ownerOf(observation, controller) === 'both',
    );
    return paused || doubled.length === 0 ? null : `two owners of ${doubled.join(', ')}`;
  });
}

/** I2: no step puts a CCM beside an in-tree KCM that does not share its lock. */
export function neverUnlockedTogether({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return steps(points, 'I2', (before, after, { name }) => {
    const together = (point: TracePoint): boolean =>
      unlockedTogether(
        factsOf(point.observation, point.target, policy),
        sharesLock(policy.strategy),
      );
    return !together(before) && together(after)
      ? `${name} put a CCM beside an unprotected in-tree KCM`
      : null;
  });
}

function unlockedTogether({ inTree, presentCcms }: ClusterFacts, lock: boolean): boolean {
  if (inTree.length === 0 || presentCcms.length === 0) return false;
  return !lock || [...inTree, ...presentCcms].some(({ protection }) => protection !== 'protected');
}

/**
 * I3: a controller has no owner for at most the declared budget, counted as the guard of a run counts it. One that no manager
 * ever runs needs no owner.
 */
export function orphanedWithinBudget({
  policy,
  points,
  orphanBudgetSeconds,
}: RunTrace): readonly InvariantBreach[] {
  const [first] = points;
  if (first === undefined) return [];
  const budgetMs = orphanBudgetSeconds * 1000;
  let trace = emptyTrace(policy.lock.controllers, first.observation.observedAtMs);
  return points.flatMap(({ observation }, point) => {
    const before = trace;
    trace = addObservation(before, observation, () => null);
    return pairs(before, trace).flatMap(([earlier, now]) => {
      const lengthMs = orphanedForMs(earlier, now);
      // Reported once, when it exceeds the budget.
      if (lengthMs <= budgetMs || earlier.orphanNowMs > budgetMs) return [];
      const seen = `${now.controller} had no owner for ${String(lengthMs / 1000)} s`;
      return [{ invariant: 'I3' as const, point, seen }];
    });
  });
}

/** Length of the time without an owner that is ongoing at this observation, or ended since the previous one. */
function orphanedForMs(before: ControllerTrace, now: ControllerTrace): number {
  const seen = now.owners?.length === 0 || before.owners?.length === 0;
  return seen ? before.orphanNowMs + now.orphanMs - before.orphanMs : 0;
}

/** Each controller before and after an observation. */
function pairs(
  before: OwnershipTrace,
  after: OwnershipTrace,
): readonly (readonly [ControllerTrace, ControllerTrace])[] {
  return before.controllers.flatMap((earlier) =>
    after.controllers
      .filter(({ controller }) => controller === earlier.controller)
      .map((now) => [earlier, now] as const),
  );
}

/**
 * I4: at most one control-plane node is unavailable, and stacked etcd keeps floor(n/2)+1 healthy voters. Without a machine provider
 * no member is a known voter, and each counts as one, as for the gate `quorum`.
 */
export function quorumKept({ points }: RunTrace): readonly InvariantBreach[] {
  return each(points, 'I4', ({ observation }) => {
    const { nodes, etcd } = observation;
    const down = nodes.filter(({ ready }) => ready !== 'yes').length;
    if (down > 1) return `${String(down)} control-plane nodes are unavailable`;
    if (etcd.topology !== 'stacked') return null;
    const members = countedMembers(observation);
    const isTold = members.some(({ voter }) => voter === 'yes');
    const counted = members.filter(({ voter }) => voter === (isTold ? 'yes' : 'unknown'));
    const healthy = counted.filter(({ healthy: well }) => well === 'yes');
    const needed = Math.floor(members.length / 2) + 1;
    return healthy.length < needed
      ? `${String(healthy.length)} healthy voters of ${String(needed)}`
      : null;
  });
}

/** I7: from every observation a rollback ends at the baseline or reports why it cannot. */
export function rollback({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return each(points, 'I7', ({ observation, policy: effective = policy }) => {
    const { ending } = previewPlan(observation, 'kcm', effective);
    return ending.kind === 'step' ? `the rollback does not complete: ${ending.step.why}` : null;
  });
}

/** I9: no step starts from an observation in which the owner or a part of a node is unknown. */
export function unknownHolds({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return each(points, 'I9', ({ observation, target, step, policy: effective = policy }) => {
    if (step === null) return null;
    const decision = nextStep(observation, target, effective);
    const { kind } = step.effect;
    const proves = decision.kind === 'done' && (kind === 'verify' || kind === 'probeBalancer');
    return decision.kind === 'step' || proves
      ? null
      : `${step.name} was taken where no step was safe`;
  });
}

export function each(
  points: readonly TracePoint[],
  invariant: InvariantName,
  test: (point: TracePoint) => string | null,
): readonly InvariantBreach[] {
  return points.flatMap((one, point) => {
    const seen = test(one);
    return seen === null ? [] : [{ invariant, point, seen }];
  });
}

/** Consecutive observations with a step between them. */
function steps(
  points: readonly TracePoint[],
  invariant: InvariantName,
  test: (before: TracePoint, after: TracePoint, step: Step) => string | null,
): readonly InvariantBreach[] {
  return points.flatMap((before, point) => {
    const after = points[point + 1];
    const { step } = before;
    const seen = step === null || after === undefined ? null : test(before, after, step);
    return seen === null ? [] : [{ invariant, point, seen }];
  });
}
