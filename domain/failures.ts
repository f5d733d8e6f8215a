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
  GateFailed: 'hold',
  ForeignEdit: 'hold',
  NoProof: 'hold',
  Forbidden: 'hold',
  Unauthorized: 'hold',
  FenceLost: 'hold',
  Breach: 'hold',
  PreconditionFailed: 'hold',
  EffectNotSeen: 'hold',
  ClusterMismatch: 'refuse',
  InvalidInput: 'refuse',
  NotSupported: 'refuse',
  AlreadyRunning: 'refuse',
  Bug: 'bug',
} as const;

export type FailureType = keyof typeof FAILURES;
export type WhoActs = (typeof FAILURES)[FailureType];

export function isFailureType(value: string): value is FailureType {
  return Object.hasOwn(FAILURES, value);
}
