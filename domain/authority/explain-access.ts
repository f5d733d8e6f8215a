import type { AccessPolicy, AccessPrincipal, AccessSubject } from './access-policy.js';
import { rolesOf } from './access-policy.js';
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
  const may = principals.filter((each) =>
    rolesOf(each, subject).some((role) => roles.includes(role)),
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
      const { roles, isBrake, forSecondPerson } = VERB_RULES[verb];
      const role = roles.find((each) => has.includes(each));
      if (isBrake) return { verb, allowed: true, why: 'a brake needs no signature' };
      if (role === undefined) return { verb, allowed: false, why: `takes ${roles.join(' or ')}` };
      const not =
        forSecondPerson !== '' && role !== 'breakGlass' ? ', not what it asked for itself' : '';
      return { verb, allowed: true, why: `as ${role}${not}` };
    });
}
