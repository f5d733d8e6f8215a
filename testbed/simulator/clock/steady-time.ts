/** A wall clock, in ms, that may jump: `performance.now`. */
export type WallClock = () => number;

/**
 * Upper bound for the real ms that pass for a cluster while its process gets no CPU: far below any renew deadline at
 * the supported speeds.
 */
export const LONGEST_JUMP_MS = 100;
/** How often the time is recorded; well below the longest jump. */
export const NOTED_EVERY_MS = 25;

/**
 * Time that follows the wall clock but stands still while this process does not run. All processes of a simulated
 * cluster live in this one process: on a busy machine a stall would make every holder miss its renew deadline at
 * once, which happens in no real cluster. Such faults are injected deliberately, never left to chance.
 */
export class SteadyTime {
  private readonly wall: WallClock;
  private passedMs = 0;
  private notedAtMs: number;

  constructor(wall: WallClock) {
    this.wall = wall;
    this.notedAtMs = wall();
  }

  /** Ms since creation; monotonic. */
  nowMs(): number {
    return this.passedMs + Math.min(LONGEST_JUMP_MS, this.wall() - this.notedAtMs);
  }

  /**
   * Must be called about every `NOTED_EVERY_MS`. Any longer interval counts as a stall, which takes no time for the
   * cluster.
   */
  note(): void {
    this.passedMs = this.nowMs();
    this.notedAtMs = this.wall();
  }
}

/** Steady time of this process, with its own timer. It does not keep the process alive. */
export function keepSteadyTime(): { readonly nowMs: () => number; readonly stop: () => void } {
  const time = new SteadyTime(() => performance.now());
  const noting = setInterval(() => {
    time.note();
  }, NOTED_EVERY_MS);
  noting.unref();
  return {
    nowMs: () => time.nowMs(),
    stop: () => {
      clearInterval(noting);
    },
  };
}
