export type Cancel = () => void;

export interface Clock {
  nowMs(): number;
  /** Runs once after `delayMs` of simulated time; calls due at the same moment run in the order of their creation. */
  schedule(delayMs: number, run: () => void): Cancel;
}

/** Time that advances only on request. */
export interface VirtualClock extends Clock {
  /** Runs everything due in the next `ms` and ends exactly `ms` later. */
  advanceBy(ms: number): void;
  /** Runs call after call until `holds()`; false when `limitMs` passed first. */
  advanceUntil(holds: () => boolean, limitMs: number): boolean;
}

/** Seeded randomness: the same seed and the same forks give the same numbers. */
export interface Draws {
  /** [0, 1). */
  unit(): number;
  /** [low, high). */
  between(low: number, high: number): number;
  hex(digits: number): string;
  uuid(): string;
  /** An independent stream, determined by this stream's seed and the label alone. */
  fork(label: string): Draws;
}
