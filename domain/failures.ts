/**
 * The closed list of `ApplicationFailure.type` values. Each says who must act: `retry` the program, `hold` an operator (with
 * the next command), `refuse` the sender of the input, `bug` us.
 */
export const FAILURES = {
  Throttled: 'retry',
  Unavailable: 'retry',
  Conflict: 'retry',
  Unreachable: 'retry',
  Timeout: 'retry',
  /** No worker took a task from its queue in time: it never ran. */
  NoWorker: 'retry',
  /** The worker that took a step does not know its effect, or this version of it: it wrote nothing. */
  UnknownStep: 'retry',
  /** No guard watches this run in this epoch: workers come and go, so the program retries. */
  Unguarded: 'retry',
  GateFailed: 'hold',
  ForeignEdit: 'hold',
  NoProof: 'hold',
  Forbidden: 'hold',
  Unauthorized: 'hold',
  FenceLost: 'hold',
  /** A node that must belong to this cluster belongs to another, or did. */
  ForeignNode: 'hold',
  /** The run's evidence is not what it was: records are gone, replaced or elsewhere. */
  EvidenceLost: 'hold',
  /** What was allowed when the run began no longer is, or a command that its direction rests on is not signed. */
  AuthorityLost: 'hold',
  Breach: 'hold',
  PreconditionFailed: 'hold',
  EffectNotSeen: 'hold',
  ClusterMismatch: 'refuse',
  InvalidInput: 'refuse',
  /** The plan's digest differs from what policy, materials and cluster now give. */
  StalePlan: 'refuse',
  /** Preflight found something that forbids the start. */
  PreflightFailed: 'refuse',
  NotSupported: 'refuse',
  /** No statement allows this run, or not to whom signed it. */
  NotAuthorised: 'refuse',
  AlreadyRunning: 'refuse',
  Bug: 'bug',
} as const;

export type FailureType = keyof typeof FAILURES;
export type WhoActs = (typeof FAILURES)[FailureType];

export function isFailureType(value: string): value is FailureType {
  return Object.hasOwn(FAILURES, value);
}
