import type { AccessPrincipal, AccessSubject } from './access-policy.js';
import { rolesOf } from './access-policy.js';
import { type StatementVerb, VERB_RULES, isStatementVerb } from './verb-roles.js';

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
