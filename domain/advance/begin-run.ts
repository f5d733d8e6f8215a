import type { MigrationPolicy } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { RunState } from './run-state.js';

export interface RunSetup {
  readonly cluster: { readonly name: string; readonly uid: string };
  readonly policy: MigrationPolicy;
  readonly target: Target;
  readonly planDigest: string;
  readonly actor: string;
  readonly reason: string;
  /** Another run may hold the fence and must be displaced. */
  readonly takesOver: boolean;
}

/** The empty parts of a run's state at its start. */
const NOTHING_YET = {
  hold: 'none',
  pausedBy: null,
  activity: { kind: 'idle' },
  queue: [],
  answers: {},
  olderCommands: [],
  look: null,
  revision: 0,
  epoch: 0,
  fences: 0,
  recovering: false,
  trouble: null,
  gates: [],
  breaches: [],
  objections: [],
  waivers: [],
  approvals: [],
  tries: {},
  failures: { step: '', count: 0 },
  guardLosses: 0,
  unserved: 0,
  heals: 0,
  soak: 'due',
  soakProgress: null,
  since: null,
  verified: false,
  waits: 0,
  steps: [],
  earlier: { steps: 0, orphanMs: 0, mutations: 0 },
  lastFailure: { whoActs: 'person', text: '' },
} as const satisfies Partial<RunState>;

/** A run before its first event. */
export function beginRun(setup: RunSetup): RunState {
  const { cluster, policy, target, planDigest, actor, reason, takesOver } = setup;
  return {
    ...NOTHING_YET,
    cluster,
    policy,
    target,
    planDigest,
    because: `asked by ${actor}: ${reason}`,
    mandate: { actor, reason },
    due: {
      check: true,
      recheck: takesOver,
      plan: false,
      fence: true,
      acknowledge: false,
      restMs: 0,
      look: true,
      measure: false,
    },
  };
}
