import type { RunTimings } from '../../domain/policy.js';

/** Everything that decides how long the suite takes. Times are real milliseconds, unless they are of the cluster's clock. */
export const CRASH_SETTINGS = {
  /** Simulated seconds per real one: waits for elections and kubelets shrink by it. */
  speed: numberFrom('CCM_TEST_CRASH_SPEED', 12),
  /** Pairs of worker and cluster in parallel, each with its own Temporal server. */
  pairs: numberFrom('CCM_TEST_CRASH_PAIRS', 2),
  /** Kills within one step of one run: a step may fail four times before the operator is asked. */
  killsInStep: numberFrom('CCM_TEST_CRASH_KILLS_IN_STEP', 2),
  /** Rounds beyond the planned ones, for crash points that did not occur where they were expected. */
  extraRounds: 6,
  /** How long a workflow waits for a dead worker that has it cached. */
  stickyMs: 500,
  directionTimeoutMs: numberFrom('CCM_TEST_CRASH_DIRECTION_TIMEOUT_MS', 900_000),
} as const;

/**
 * `heartbeatMs` is what a crash costs. The fence is judged by the cluster's clock, which runs `speed` times as fast: renewed each simulated
 * minute, it outlives the start of a new worker. */
export const CRASH_TIMINGS: Partial<RunTimings> = {
  heartbeatMs: numberFrom('CCM_TEST_CRASH_HEARTBEAT_MS', 3_000),
  pollMs: 150,
  guardMs: 500,
  fenceRenewMs: 60_000,
  // A soak does not re-acquire the fence: on a busy machine its guard may be away for longer than three simulated minutes.
  fenceRenewIdleMs: 600_000,
};

/** A dead worker is missed in real seconds only, while the cluster's time runs faster. */
export const ORPHAN_BUDGET_MS = 900_000;

/** Long enough to be measured, short enough for three of them in each run. */
export const SOAK_SECONDS = 1;

function numberFrom(name: string, otherwise: number): number {
  const given = Number(process.env[name] ?? '');
  return given > 0 ? given : otherwise;
}
