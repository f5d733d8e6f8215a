import type { Target } from '../vocabulary.js';
import type { AccessPolicy, AccessPrincipal, AccessSubject } from './access-policy.js';
import { authoriseSigner } from './authorise.js';
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
  const asked = { verb: 'approve', target: '' } as const;
  const may = principals.filter(
    (each) => authoriseSigner(signedBy(each, asked), subject, null).kind === 'authorised',
  );
  return { quorum, approvers: may.map(({ name }) => name) };
}

export interface ExplainedVerb extends Asked {
  readonly allowed: boolean;
  readonly why: string;
}

interface Asked {
  readonly verb: StatementVerb;
  /** `kcm` where a run toward it takes other roles; else empty. */
  readonly target: Target | '';
}

/**
 * What a principal may ask for there, and by which right; in the order of the table of verbs. It asks the rule that workers ask, so
 * that both always say the same.
 */
export function explainVerbs(
  principal: AccessPrincipal,
  subject: AccessSubject,
): readonly ExplainedVerb[] {
  return Object.keys(VERB_RULES)
    .filter(isStatementVerb)
    .flatMap(askedWith)
    .map((asked) => ({ ...asked, ...judged(principal, asked, subject) }));
}

function askedWith(verb: StatementVerb): readonly Asked[] {
  const asked = { verb, target: '' } as const;
  return rolesFor(verb, 'kcm') === rolesFor(verb, '') ? [asked] : [asked, { verb, target: 'kcm' }];
}

function judged(
  principal: AccessPrincipal,
  asked: Asked,
  subject: AccessSubject,
): Pick<ExplainedVerb, 'allowed' | 'why'> {
  if (VERB_RULES[asked.verb].isBrake) return { allowed: true, why: 'a brake needs no signature' };
  const signed = signedBy(principal, asked);
  const verdict = authoriseSigner(signed, subject, null);
  if (signed.isRevoked) return { allowed: false, why: 'none of its keys signs any more' };
  if (verdict.kind === 'refused') {
    return { allowed: false, why: `takes ${rolesFor(asked.verb, asked.target).join(' or ')}` };
  }
  const itself = authoriseSigner(signed, subject, principal.name);
  return { allowed: true, why: `as ${verdict.role}${ofItself(verdict, itself)}` };
}

type Verdict = ReturnType<typeof authoriseSigner>;

function ofItself({ role }: Extract<Verdict, { kind: 'authorised' }>, itself: Verdict): string {
  if (itself.kind === 'refused') return ', not what it asked for itself';
  return itself.role === role ? '' : `, and as ${itself.role} what it asked for itself`;
}

function signedBy(by: AccessPrincipal, statement: Asked) {
  return { statement, by, isRevoked: by.keys.every(({ revoked }) => revoked) };
}
