import { processKey, runningProcesses } from './facts/owners.js';
import type { ClusterObservation } from './observation.js';
import type { CloudController } from './vocabulary.js';

/** A stretch of time in which the same processes ran a controller. Times in epoch ms. */
export interface OwnerInterval {
  readonly fromMs: number;
  readonly toMs: number;
  /** Like `kcm:cp-1#812`; empty when nobody ran it, null when that could not be read. */
  readonly owners: readonly string[] | null;
}

export interface ControllerOwnership {
  readonly controller: CloudController;
  readonly intervals: readonly OwnerInterval[];
  /** Seconds in which more than one process ran it, and seconds in which none did after somebody had. */
  readonly overlapSeconds: number;
  readonly orphanSeconds: number;
  /** Seconds nobody can speak for. Unknown is not healthy, so it is not hidden in the other two. */
  readonly unknownSeconds: number;
  /** How often the one owner was another one than before. */
  readonly moves: number;
}

/**
 * Who ran a controller when, from a sequence of looks. Between two looks it is taken to be as at the first;
 * the answer is as fine as the looks are close.
 */
export function ownership(
  trace: readonly ClusterObservation[],
  controller: CloudController,
): ControllerOwnership {
  const intervals = joined(
    trace.map((look) => ({ atMs: look.observedAtMs, owners: ownersIn(look, controller) })),
  );
  const first = intervals.findIndex(({ owners }) => (owners?.length ?? 0) > 0);
  const since = first < 0 ? [] : intervals.slice(first);
  const singles = since.flatMap(({ owners }) => (owners?.length === 1 ? owners : []));
  return {
    controller,
    intervals,
    overlapSeconds: seconds(since.filter(({ owners }) => (owners?.length ?? 0) > 1)),
    orphanSeconds: seconds(since.filter(({ owners }) => owners?.length === 0)),
    unknownSeconds: seconds(intervals.filter(({ owners }) => owners === null)),
    moves: singles.filter((owner, index) => index > 0 && owner !== singles[index - 1]).length,
  };
}

function ownersIn(look: ClusterObservation, controller: CloudController): readonly string[] | null {
  return runningProcesses(look, controller)?.map(processKey) ?? null;
}

interface Sample {
  readonly atMs: number;
  readonly owners: readonly string[] | null;
}

/** Neighbouring looks with the same owners become one interval; the last look ends the last interval. */
function joined(samples: readonly Sample[]): readonly OwnerInterval[] {
  const intervals: OwnerInterval[] = [];
  samples.forEach(({ atMs, owners }, index) => {
    const toMs = samples[index + 1]?.atMs ?? atMs;
    const last = intervals.at(-1);
    if (last !== undefined && sameOwners(last.owners, owners)) {
      intervals[intervals.length - 1] = { ...last, toMs };
    } else {
      intervals.push({ fromMs: atMs, toMs, owners });
    }
  });
  return intervals;
}

function sameOwners(a: readonly string[] | null, b: readonly string[] | null): boolean {
  return a === null || b === null ? a === b : a.join() === b.join();
}

function seconds(intervals: readonly OwnerInterval[]): number {
  return intervals.reduce((sum, { fromMs, toMs }) => sum + (toMs - fromMs), 0) / 1000;
}
