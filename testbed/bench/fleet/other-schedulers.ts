import type { RowBehaviour } from '../../../domain/fleet/simulated-member.js';

/** Waves of so many clusters, each of which begins when the last cluster of the wave before has soaked. */
export function barrierMs(behaviours: readonly RowBehaviour[], inFlight: number): number {
  let total = 0;
  for (let from = 0; from < behaviours.length; from += inFlight) {
    const wave = behaviours.slice(from, from + inFlight);
    total += Math.max(...wave.map((each) => moveMs(each) + soakAfterMs(each)));
  }
  return total;
}

/** A pool of so many slots that knows no soak, canary or budget: whatever is free takes the next cluster. */
export function poolMs(behaviours: readonly RowBehaviour[], inFlight: number): number {
  const freeAtMs = Array.from({ length: inFlight }, () => 0);
  for (const each of behaviours) {
    const slot = freeAtMs.indexOf(Math.min(...freeAtMs));
    freeAtMs[slot] = Number(freeAtMs[slot]) + moveMs(each);
  }
  return Math.max(...freeAtMs);
}

/** The time in which the cluster changes, a rollback after a failure included. */
function moveMs({ fails, changeMs, backMs }: RowBehaviour): number {
  return fails === null ? changeMs : fails.afterMs + backMs;
}

/** `backMs` includes the soak of a rollback. */
function soakAfterMs({ fails, soakMs }: RowBehaviour): number {
  return fails === null ? soakMs : 0;
}
