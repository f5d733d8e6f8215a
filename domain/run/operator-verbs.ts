import type { Target } from '../vocabulary.js';

/** One thing that an operator can tell a run. The table is the only place that lists them. */
interface VerbTraits {
  /** As typed on the command line. */
  readonly word: string;
  /** Its help, in one sentence. */
  readonly about: string;
  /** Its help's example: what follows the name of the cluster. */
  readonly example: string;
  /** What the run does then, as asked before it is sent: "the run …". */
  readonly effect: string;
  /** How deliberate the operator has to be; `none` where it can be taken back, so that a reason is enough. */
  readonly confirmation: 'none' | 'simple' | 'typed';
  /** Whether it takes the code of a finding or gate. */
  readonly code: 'none' | 'optional' | 'required';
  /** It waives a check or changes the direction: a run refuses it without a reason, from any sender. */
  readonly needsReason: boolean;
  /** The target that it turns the run to. Where the run has ended, such a verb starts the next one and others are refused. */
  readonly turnsTo: Target | null;
}

/** By the name that is sent to the run, in the order of the help page. */
export const OPERATOR_VERBS = {
  pause: {
    word: 'pause',
    about: 'Holds a run at its next safe point and waits until it is there.',
    example: '--reason "investigating latency"',
    effect: 'holds at the next safe point',
    ...{ confirmation: 'none', code: 'none', needsReason: false, turnsTo: null },
  },
  resume: {
    word: 'resume',
    about: 'Lets a paused run continue in its previous direction.',
    example: '--reason "latency was unrelated"',
    effect: 'continues in its previous direction',
    ...{ confirmation: 'none', code: 'none', needsReason: false, turnsTo: null },
  },
  approve: {
    word: 'approve',
    about: 'Grants the approval that the run waits for.',
    example: '--reason "reviewed with SRE"',
    effect: 'passes the approval',
    ...{ confirmation: 'simple', code: 'optional', needsReason: true, turnsTo: null },
  },
  reject: {
    word: 'reject',
    about: 'Refuses the approval that the run waits for; the run keeps holding.',
    example: '--reason "freeze until Monday"',
    effect: 'holds',
    ...{ confirmation: 'simple', code: 'optional', needsReason: true, turnsTo: null },
  },
  skip: {
    word: 'skip',
    about:
      'Waives one finding once, for exactly what was observed, or a soft gate for the soaks of this direction; some can never be skipped.',
    example: '--code CCM3104 --reason "a user broke that Service"',
    effect: 'waives one finding once, or one soft gate',
    ...{ confirmation: 'typed', code: 'required', needsReason: true, turnsTo: null },
  },
  retry: {
    word: 'retry',
    about: 'Observes the cluster again and retries what failed.',
    example: '--reason "node is back"',
    effect: 'observes again and retries',
    ...{ confirmation: 'simple', code: 'none', needsReason: false, turnsTo: null },
  },
  rollBack: {
    word: 'rollback',
    about: 'Reverses the run at its next safe point: rolls back to the in-tree controllers.',
    example: '--reason "load balancers are degraded"',
    effect: 'rolls back to the in-tree controllers',
    ...{ confirmation: 'simple', code: 'none', needsReason: true, turnsTo: 'kcm' },
  },
  rollForward: {
    word: 'rollforward',
    about: 'Makes the cloud-controller-manager the target again at the next safe point.',
    example: '--reason "cause found"',
    effect: 'makes the CCM the target again',
    ...{ confirmation: 'simple', code: 'none', needsReason: true, turnsTo: 'ccm' },
  },
  stop: {
    word: 'stop',
    about: 'Ends the run at its next safe point and leaves the cluster as it is.',
    example: '--reason "continue next week"',
    effect: 'ends at the next safe point',
    ...{ confirmation: 'simple', code: 'none', needsReason: false, turnsTo: null },
  },
} as const satisfies Readonly<Record<string, VerbTraits>>;

export type OperatorVerb = keyof typeof OPERATOR_VERBS;

/** All of them, in the order of the table. */
export const VERB_NAMES: readonly OperatorVerb[] =
  Object.keys(OPERATOR_VERBS).filter(isOperatorVerb);

/** Whether a run knows this verb. */
export function isOperatorVerb(value: unknown): value is OperatorVerb {
  return typeof value === 'string' && Object.hasOwn(OPERATOR_VERBS, value);
}
