import type { Target } from '../vocabulary.js';
import type { AccessRole } from './access-policy.js';

/** Whether a request needs a signature, and of whom. The table is the only place that says so. */
export interface VerbRule {
  /** Any of these is enough. */
  readonly roles: readonly AccessRole[];
  /** Obeyed without a signature, so that nothing delays it: it lets nothing go on. */
  readonly isBrake: boolean;
  /** What another person must do than the one who asked, in words; empty where the same one may. */
  readonly forSecondPerson: string;
}

const byOperator: VerbRule = {
  roles: ['operator', 'breakGlass'],
  isBrake: false,
  forSecondPerson: '',
};
const brake: VerbRule = { ...byOperator, isBrake: true };
const byRequester: VerbRule = { ...byOperator, roles: ['requester', 'breakGlass'] };
const byApprover: VerbRule = {
  ...byOperator,
  roles: ['approver', 'breakGlass'],
  forSecondPerson: 'approve it',
};

/** Every request that a person or a program can make of a run or a fleet. */
export const VERB_RULES = {
  apply: byRequester,
  revise: byRequester,
  pause: brake,
  freeze: brake,
  stop: brake,
  reject: { ...brake, roles: ['approver', 'operator', 'breakGlass'] },
  resume: byOperator,
  unfreeze: byOperator,
  retry: byOperator,
  skip: byOperator,
  rollBack: { ...byOperator, roles: ['operator', 'automation', 'breakGlass'] },
  rollForward: { ...byOperator, roles: ['requester', 'operator', 'breakGlass'] },
  open: byOperator,
  set: byOperator,
  budget: { ...byOperator, forSecondPerson: 'set its budget' },
  approve: byApprover,
} as const satisfies Readonly<Record<string, VerbRule>>;

/** What is asked for: a run, a fleet, a fleet's next plan, or a command to one of them. */
export type StatementVerb = keyof typeof VERB_RULES;

export function isStatementVerb(value: unknown): value is StatementVerb {
  return typeof value === 'string' && Object.hasOwn(VERB_RULES, value);
}

/** A run that is started toward KCM undoes a migration: an operator may start it, too. */
export function rolesFor(verb: StatementVerb, target: Target | ''): readonly AccessRole[] {
  const { roles } = VERB_RULES[verb];
  return verb === 'apply' && target === 'kcm' ? ['requester', 'operator', 'breakGlass'] : roles;
}
