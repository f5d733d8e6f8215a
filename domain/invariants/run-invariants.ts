import type { Step } from '../decision/step.js';
import { predictEffect } from '../model/predict-effect.js';
import { type ClusterFacts, type ManagerFact, factsOf } from '../ownership/cluster-facts.js';
import {
  each,
  neverUnlockedTogether,
  oneOwner,
  orphanedWithinBudget,
  quorumKept,
  unknownHolds,
  rollback,
} from './cluster-invariants.js';
import type { InvariantBreach, RunTrace } from './trace.js';

/** I5: a holder is never moved while a non-holder of its kind could be moved. Repairs have their own order. */
function holderLastKept({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return each(points, 'I5', ({ observation, target, step }) => {
    if (step === null || step.phase === 'repair') return null;
    const facts = factsOf(observation, target, policy);
    const moved = movedFact(facts, step);
    if (moved === undefined || !(moved.leads || moved.holdsMigration)) return null;
    const sick = observation.nodes.some(
      ({ name, ready }) => name === moved.node && ready !== 'yes',
    );
    const [other] = peers(facts, moved).filter(
      ({ leads, holdsMigration }) => !leads && !holdsMigration,
    );
    return sick || other === undefined
      ? null
      : `${step.name} moved the holder on ${moved.node} before ${other.node}`;
  });
}

function movedFact(
  { kcms, ccms, target }: ClusterFacts,
  { effect }: Step,
): ManagerFact | undefined {
  if (effect.kind === 'changeManager') {
    const facts = effect.want.manager === 'kcm' ? kcms : ccms;
    return facts.find(({ node, present }) => node === effect.node && present);
  }
  if (effect.kind !== 'removeMachine') return undefined;
  return (target === 'ccm' ? kcms : ccms).find(({ node }) => node === effect.node);
}

/** Managers that the same step would still have to move: same manager, same role, same settings. */
function peers({ kcms, ccms }: ClusterFacts, moved: ManagerFact): readonly ManagerFact[] {
  return (moved.manager === 'kcm' ? kcms : ccms).filter(
    ({ node, role, present, protection }) =>
      node !== moved.node && present && role === moved.role && protection === moved.protection,
  );
}

const WAITS: ReadonlySet<Step['effect']['kind']> = new Set([
  'awaitElection',
  'verify',
  'probeBalancer',
]);

/** I6: a step's effect happens once: its result exists, and repeating it changes nothing. */
function effectOnce({ policy, points }: RunTrace): readonly InvariantBreach[] {
  return points.flatMap((before, point) => {
    const after = points[point + 1];
    if (before.step === null || after === undefined || after.step === null) return [];
    // A failed step may be repeated.
    if (before.failed === true) return [];
    const { effect } = before.step;
    const waits = WAITS.has(effect.kind);
    const repeated = JSON.stringify(effect) === JSON.stringify(after.step.effect);
    const unchanged =
      JSON.stringify(predictEffect(after.observation, effect, policy)) ===
      JSON.stringify(after.observation);
    return repeated && !waits && !unchanged
      ? [{ invariant: 'I6' as const, point, seen: `${before.step.name} was taken twice in a row` }]
      : [];
  });
}

/** I8: every mutation ran under the newest epoch, and every gate that did not pass is one the step cures. */
function fencedAndGated({ points, mutations }: RunTrace): readonly InvariantBreach[] {
  const unfenced = mutations.flatMap(({ epoch, fenceEpoch, atMs }) =>
    epoch === fenceEpoch
      ? []
      : [
          {
            invariant: 'I8' as const,
            point: -1,
            seen: `epoch ${String(epoch)} wrote at ${String(atMs)} under fence ${String(fenceEpoch)}`,
          },
        ],
  );
  const ungated = each(points, 'I8', ({ step, verdicts }) => {
    if (step === null) return null;
    const open = verdicts.find(
      ({ verdict, code }) => verdict !== 'pass' && !step.cures.includes(code),
    );
    return open === undefined
      ? null
      : `${step.name} ran while gate ${open.gate} was ${open.verdict}`;
  });
  return [...unfenced, ...ungated];
}

/** I10: after `paused` no mutation begins before `resume`. */
function quietWhilePaused({ mutations, pauses }: RunTrace): readonly InvariantBreach[] {
  return mutations
    .filter(({ atMs }) => pauses.some(({ fromMs, toMs }) => atMs > fromMs && atMs < toMs))
    .map(({ atMs }) => ({
      invariant: 'I10',
      point: -1,
      seen: `a mutation began at ${String(atMs)}`,
    }));
}

/** Checks every invariant of a run over its trace; an empty result means that all hold. */
export function checkInvariants(trace: RunTrace): readonly InvariantBreach[] {
  return [
    oneOwner,
    neverUnlockedTogether,
    orphanedWithinBudget,
    quorumKept,
    holderLastKept,
    effectOnce,
    rollback,
    fencedAndGated,
    unknownHolds,
    quietWhilePaused,
  ].flatMap((invariant) => invariant(trace));
}
