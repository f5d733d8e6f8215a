/**
 * The closed list of `ApplicationFailure.type` values. Each says who must act:
 * `retry` the machine, `hold` an operator (with the next command), `refuse` whoever sent the input, `bug` us.
 */
export const FAILURES = {
  Throttled: 'retry',
  Unavailable: 'retry',
  Conflict: 'retry',
  Unreachable: 'retry',
  Timeout: 'retry',
  /** No worker took a task from its queue in time: it never ran. */
  NoWorker: 'retry',
  /** The worker that took a step does not know its effect, or not this version of it: it wrote nothing. */
  UnknownStep: 'retry',
  /** No guard watches this run in this epoch: workers come and go, so the machine tries again. */
  Unguarded: 'retry',
  GateFailed: 'hold',
  ForeignEdit: 'hold',
  NoProof: 'hold',
  Forbidden: 'hold',
  Unauthorized: 'hold',
  FenceLost: 'hold',
  /** A node that has to be of this cluster is another's, or was. */
  ForeignNode: 'hold',
  Breach: 'hold',
  PreconditionFailed: 'hold',
  EffectNotSeen: 'hold',
  ClusterMismatch: 'refuse',
  InvalidInput: 'refuse',
  /** The plan's digest is not what policy, materials and cluster give now. */
  StalePlan: 'refuse',
  /** Preflight found what forbids to begin. */
  PreflightFailed: 'refuse',
  NotSupported: 'refuse',
  AlreadyRunning: 'refuse',
  Bug: 'bug',
} as const;

export type FailureType = keyof typeof FAILURES;
export type WhoActs = (typeof FAILURES)[FailureType];

export function isFailureType(value: string): value is FailureType {
  return Object.hasOwn(FAILURES, value);
}
