/** A wall clock, in ms, that may jump: `performance.now`. */
export type WallClock = () => number;

/**
 * Real ms that pass for a cluster when its process got no processor for longer: far less than any renew deadline at
 * the speeds that are served.
 */
export const LONGEST_JUMP_MS = 100;
/** How often the time is noted; well below the longest jump. */
export const NOTED_EVERY_MS = 25;

/**
 * Time that passes as on the wall, but stands still while this process does not run. All processes of a simulated
 * cluster live in one of ours: a busy machine that keeps it waiting would let every holder miss its renew deadline at
 * once, which no real cluster does. Such faults are injected, not had by luck.
 */
export class SteadyTime {
  private readonly wall: WallClock;
  private passedMs = 0;
  private notedAtMs: number;

  constructor(wall: WallClock) {
    this.wall = wall;
    this.notedAtMs = wall();
  }

  /** Ms since it was made. Never goes back. */
  nowMs(): number {
    return this.passedMs + Math.min(LONGEST_JUMP_MS, this.wall() - this.notedAtMs);
  }

  /** To be called about every `NOTED_EVERY_MS`; what is missing to that was no time for the cluster. */
  note(): void {
    this.passedMs = this.nowMs();
    this.notedAtMs = this.wall();
  }
}

/** Steady time of this process, noted by itself. It keeps no process alive. */
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
