/** How long an event loop has worked and rested since it began, by its own count. */
export interface LoopReading {
  readonly atMs: number;
  readonly activeMs: number;
  readonly idleMs: number;
}

/** Shares of time, 0 to 1. Between the two nothing changes: a worker at its limit does not change its mind at each reading. */
export interface LoopLimits {
  readonly stopAbove: number;
  readonly resumeBelow: number;
}

/** Longer than the first observations of a guard take, and shorter than a fence holds without its guard. */
export const LOOP_WINDOW_MS = 10_000;

/** The readings of the window: those within it, and the last one before it, from which it is counted. */
export function withReading(
  readings: readonly LoopReading[],
  newest: LoopReading,
): readonly LoopReading[] {
  const fromMs = newest.atMs - LOOP_WINDOW_MS;
  const within = readings.filter(({ atMs }) => atMs > fromMs);
  return [...readings.filter(({ atMs }) => atMs <= fromMs).slice(-1), ...within, newest];
}

/** Which share of the window the loop worked; null until a whole window has been measured. */
export function loopUtilisation(readings: readonly LoopReading[]): number | null {
  const [first, last] = [readings.at(0), readings.at(-1)];
  if (first === undefined || last === undefined) return null;
  const activeMs = last.activeMs - first.activeMs;
  const totalMs = activeMs + last.idleMs - first.idleMs;
  return last.atMs - first.atMs < LOOP_WINDOW_MS || totalMs <= 0 ? null : activeMs / totalMs;
}

/**
 * Whether a worker takes new guards. One more makes all that it has late, when its loop has no time left. What has not been measured changes
 * nothing: a worker that has just begun takes them.
 */
export function admitsGuards(
  admitted: boolean,
  utilisation: number | null,
  { stopAbove, resumeBelow }: LoopLimits,
): boolean {
  if (utilisation === null) return admitted;
  return admitted ? utilisation <= stopAbove : utilisation < resumeBelow;
}
