import type { MigrationPolicy } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { RunState } from './run-state.js';

export interface RunSetup {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly target: Target;
  readonly actor: string;
  readonly reason: string;
}

/** A run before its first event. */
export function beginRun({ cluster, policy, target, actor, reason }: RunSetup): RunState {
  return {
    cluster,
    policy,
    target,
    because: `asked by ${actor}: ${reason}`,
    mandate: { actor, reason },
    hold: 'none',
    activity: { kind: 'idle' },
    queue: [],
    answers: {},
    look: null,
    epoch: 0,
    fences: 0,
    due: { fence: true, look: true, measure: false },
    recovering: false,
    trouble: null,
    gates: [],
    breaches: [],
    waivers: [],
    approvals: [],
    tries: {},
    failures: { step: '', count: 0 },
    guardLosses: 0,
    soak: 'due',
    since: null,
    verified: false,
    waits: 0,
    steps: [],
    lastFailure: '',
  };
}
