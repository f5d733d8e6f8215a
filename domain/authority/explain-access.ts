import type { AccessPolicy, AccessPrincipal, AccessRole, AccessSubject } from './access-policy.js';
import { canSign, rolesOf } from './access-policy.js';
import { type StatementVerb, VERB_RULES, isStatementVerb, rolesFor } from './verb-roles.js';

/** How many must approve a handover there, and who may: each of them unless it asked for it. */
export interface ExplainedHandover {
  readonly quorum: number;
  readonly approvers: readonly string[];
}

export function explainHandover(
  { handoverQuorum: quorum, principals }: AccessPolicy,
  subject: AccessSubject,
): ExplainedHandover {
  const roles = rolesFor('approve', 'ccm');
  const may = principals.filter(
    (each) => canSign(each) && rolesOf(each, subject).some((role) => roles.includes(role)),
  );
  return { quorum, approvers: may.map(({ name }) => name) };
}

export interface ExplainedVerb {
  readonly verb: StatementVerb;
  readonly allowed: boolean;
  readonly why: string;
}

/** What a principal may ask for there, and by which right; in the order of the table of verbs. */
export function explainVerbs(
  principal: AccessPrincipal,
  subject: AccessSubject,
): readonly ExplainedVerb[] {
  const has = rolesOf(principal, subject);
  return Object.keys(VERB_RULES)
    .filter(isStatementVerb)
    .map((verb) => {
      if (VERB_RULES[verb].isBrake) return { verb, allowed: true, why: NEEDS_NO_SIGNATURE };
      if (!canSign(principal)) return { verb, allowed: false, why: 'its keys are revoked' };
      return { verb, ...signedVerb(verb, has, subject) };
    });
}

const NEEDS_NO_SIGNATURE = 'a brake needs no signature';

/** A fleet is only ever started toward CCM. */
function signedVerb(
  verb: StatementVerb,
  has: readonly AccessRole[],
  { cluster }: AccessSubject,
): Omit<ExplainedVerb, 'verb'> {
  const { forSecondPerson } = VERB_RULES[verb];
  const roles = rolesFor(verb, 'ccm');
  const role = roles.find((each) => has.includes(each));
  if (role !== undefined) {
    const isOther = forSecondPerson !== '' && role !== 'breakGlass';
    return { allowed: true, why: `as ${role}${isOther ? ', not what it asked for itself' : ''}` };
  }
  const back = rolesFor(verb, 'kcm').find((each) => has.includes(each));
  return cluster === null || back === undefined
    ? { allowed: false, why: `takes ${roles.join(' or ')}` }
    : { allowed: true, why: `as ${back}, toward KCM only` };
}
