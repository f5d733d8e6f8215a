import {
  neverUnlockedTogether,
  oneOwner,
  orphanedWithinBudget,
  quorumKept,
  unknownHolds,
  wayBack,
} from './cluster-invariants.js';
import { effectOnce, fencedAndGated, holderLastKept, quietWhilePaused } from './run-invariants.js';
import type { InvariantBreach, RunTrace } from './trace.js';

/** Checks every invariant of a run over its trace; an empty result means that all hold. */
export function checkInvariants(trace: RunTrace): readonly InvariantBreach[] {
  return [
    oneOwner,
    neverUnlockedTogether,
    orphanedWithinBudget,
    quorumKept,
    holderLastKept,
    effectOnce,
    wayBack,
    fencedAndGated,
    unknownHolds,
    quietWhilePaused,
  ].flatMap((invariant) => invariant(trace));
}
