import type { DirectionRun, LoopTruth } from '../../testbed/demo/direction-run.js';
import { OWNED, type OwnedController } from '../../testbed/base/truth/truth.js';
import { verifyChain } from '../../domain/evidence/chain.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { nextStep } from '../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterOutcome } from '../../workflows/messages.js';

/** Checks after a run, each returning violations as text; empty when all is right. */
export type Complaints = readonly string[];

export function endComplaints(target: Target, outcome: ClusterOutcome | null): Complaints {
  const wanted = target === 'ccm' ? 'done' : 'rolledBack';
  return outcome?.kind === wanted
    ? []
    : [`ended as ${outcome?.kind ?? 'nothing'}, not ${wanted}: ${outcome?.summary ?? ''}`];
}

/** The rules themselves find nothing left to do. */
export function ruleComplaints(
  observation: ClusterObservation,
  target: Target,
  policy: MigrationPolicy,
): Complaints {
  const decision = nextStep(observation, target, policy);
  return decision.kind === 'done' ? [] : [`not there yet: ${JSON.stringify(decision)}`];
}

export function fenceComplaints(holder: string): Complaints {
  return holder === '' ? [] : [`the fence is still held by ${holder}`];
}

/** In the end one process owns each loop, and it is one of the right manager. */
export function ownerComplaints(truth: DirectionRun['truth'], target: Target): Complaints {
  return OWNED.flatMap((loop) => {
    const { owners } = truth[loop];
    const right = owners.length === 1 && owners[0]?.startsWith(`${target}:`) === true;
    return right ? [] : [`${loop} is owned by ${owners.join(' and ') || 'no manager'}`];
  });
}

/** What either test environment reports about each loop. */
type Overlaps = Readonly<Record<OwnedController, Pick<LoopTruth, 'overlapSeconds'>>>;

export function overlapComplaints(truth: Overlaps): Complaints {
  return overlaps(truth).map(
    ([loop, seconds]) => `${loop} had two owners for ${String(seconds)} s`,
  );
}

/** Loops that two owners ran at the same time, with the number of seconds. */
export function overlaps(truth: Overlaps): readonly (readonly [OwnedController, number])[] {
  return OWNED.map((loop) => [loop, truth[loop].overlapSeconds] as const).filter(
    ([, seconds]) => seconds > 0,
  );
}

/** The run's file is complete, and ends where the run's own history says. */
export function chainComplaints(
  records: readonly EvidenceRecord[],
  outcome: ClusterOutcome | null,
): Complaints {
  const evidence = outcome?.evidence ?? null;
  if (evidence === null) return ['the run does not say where its evidence ends'];
  const expected = { records: evidence.records, hash: evidence.head };
  const verdict = verifyChain(records, expected);
  return verdict.kind === 'intact' ? [] : [`evidence record ${String(verdict.at)}: ${verdict.why}`];
}
