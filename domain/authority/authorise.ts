import { HANDOVER_APPROVAL, type Target } from '../vocabulary.js';
import type { AccessPolicy, AccessPrincipal, AccessRole, AccessSubject } from './access-policy.js';
import { rolesOf } from './access-policy.js';
import { type MemberProof, type SignedWave, isMember } from './member-tree.js';
import { isAboutSubject } from './command-subject.js';
import type { Statement } from './statement.js';
import { type StatementVerb, VERB_RULES, rolesFor } from './verb-roles.js';

/** A statement whose signature is that of a principal of the policy. */
export interface SignedStatement {
  readonly statement: Statement;
  /** Of the statement's text. */
  readonly digest: string;
  readonly by: AccessPrincipal;
  /** Its key was revoked since. */
  readonly isRevoked: boolean;
}

export type Authorisation =
  | { readonly kind: 'authorised'; readonly principal: string; readonly role: AccessRole }
  /** `why` names nothing that the statement or the caller did not. */
  | { readonly kind: 'refused'; readonly why: string };

/** A run as an activity is given it, with the digests of what it really has. */
export interface GivenRun {
  readonly uid: string;
  readonly cluster: NonNullable<AccessSubject['cluster']>;
  readonly workflowId: string;
  readonly policy: string;
  readonly timings: string;
  /** Null where the activity has none. */
  readonly materials: string | null;
  readonly takeOver: string | null;
  /** For a member of a fleet, that the fleet's statement covers it; null for a run of its own. */
  readonly member: CoveredMember | null;
}

export interface CoveredMember {
  /** Of the fleet's starts of this cluster: each begins a run of its own. */
  readonly grant: number;
  readonly materials: string;
  readonly proof: MemberProof;
  /** What its wave demands; absent where the statement says of none. */
  readonly wave?: SignedWave;
}

/**
 * What a run may still do when its requester may no longer ask for it. `rescue`: go on with a rollback that an operator has
 * ordered, a repair, or watching.
 */
export type Standing = 'inFull' | 'rescue';

/**
 * Whether a run may be carried out: its statement is of this cluster and of exactly what the activity was given, and comes from
 * one who may ask for it. Whether it is accepted in time is asked where it is accepted: `untimely`.
 */
export function authoriseStart(
  start: SignedStatement,
  run: GivenRun,
  standing: Standing,
): Authorisation {
  const { statement, by } = start;
  const { fleet } = statement;
  const isFleets = run.member !== null;
  const foreign =
    differing(statement, isFleets ? {} : startedWith(run)) ??
    differing(statement, run.takeOver === null ? {} : { takeOver: run.takeOver }) ??
    (isFleets ? uncovered(statement, run, run.member) : null) ??
    wrongVerb(statement, isFleets ? ['apply', 'revise'] : ['apply']);
  if (foreign !== null) return refused(foreign);
  if (standing === 'rescue') return { kind: 'authorised', principal: by.name, role: 'requester' };
  return byRole(start, { cluster: run.cluster, fleet });
}

function startedWith(run: GivenRun): Partial<Statement> {
  const { uid: cluster, workflowId, policy, timings, materials } = run;
  const given = { cluster, workflowId, policy, timings, fleet: '' };
  return materials === null ? given : { ...given, materials };
}

/** A command, as the run or the fleet has received it. */
export interface GivenCommand {
  readonly verb: StatementVerb;
  readonly workflowId: string;
  readonly runId: string;
  readonly nonce: string;
  readonly subject: string;
  /** Of an approval, the plan that it approves. */
  readonly plan?: string;
  /** As claimed where it arrived. Policies tell automation from people by it, so that it must be what was signed. */
  readonly actor?: string;
}

/**
 * Whether a command may be applied: it is what was signed, for this very run, and comes from one who may give it. An approval
 * comes from another person than what it approves; who may break the glass may do both, and is told of by the role.
 */
export function authoriseCommand(
  command: SignedStatement,
  given: GivenCommand,
  { subject, requester }: { readonly subject: AccessSubject; readonly requester: string | null },
): Authorisation {
  const foreign = unlikeSigned(command.statement, given);
  return foreign === null ? authoriseSigner(command, subject, requester) : refused(foreign);
}

/** Why a command is not what was signed; null where it is, whatever its signer may ask for. */
export function unlikeSigned(signed: Statement, given: GivenCommand): string | null {
  return differing(signed, given);
}

/** Of a signed statement, what its signer's rights are judged by. */
type AskedBy = Pick<SignedStatement, 'by' | 'isRevoked'> & {
  readonly statement: Pick<Statement, 'verb' | 'target'>;
};

/** Whether its signer may ask there for what the statement says; `requester`: who cannot approve, null for no one. */
export function authoriseSigner(
  signed: AskedBy,
  subject: AccessSubject,
  requester: string | null,
): Authorisation {
  const { statement, by } = signed;
  const isSame = VERB_RULES[statement.verb].forSecondPerson !== '' && by.name === requester;
  return isSame ? brokenGlass(signed, subject) : byRole(signed, subject);
}

/** What of a run's direction its activities must find signed. */
export interface GivenDirection {
  readonly target: Target;
  /** What was approved, and which findings and gates were skipped, as domain/authority/command-subject.ts writes them. */
  readonly approvals: readonly string[];
  /** How many people must have approved the handover. */
  readonly handoverQuorum: number;
  readonly skips: readonly string[];
}

/**
 * Whether commands that were signed lead to this direction. A statement that lets its policy turn the run back stands for a
 * command to roll back.
 */
export function missingCommand(
  start: Statement,
  commands: readonly SignedCommand[],
  { target, approvals, handoverQuorum, skips }: GivenDirection,
): string | null {
  const verbs = commands.map(({ statement: { verb } }) => verb);
  const last = verbs.findLastIndex((verb) => verb === 'rollBack' || verb === 'rollForward');
  // What was given before the run was turned was given for another direction.
  const given = commands.slice(last + 1);
  const asked = sentTo(start, commands[last]);
  const isByPolicy = target === 'kcm' && start.turnsBack === 'byPolicy';
  if (asked !== target && !isByPolicy) return `no signed command turns it to ${target}`;
  for (const what of approvals) {
    const wanted = what === HANDOVER_APPROVAL ? handoverQuorum : 1;
    const found = signersOf(given, 'approve', what);
    if (found < wanted) return unapproved(what, found, wanted);
  }
  const unskipped = skips.find((what) => signersOf(given, 'skip', what) === 0);
  return unskipped === undefined ? null : `no signed command skips ${unskipped}`;
}

/** Where people sent a run: by its last turn, or as it was begun. */
export function sentTo(
  { target }: Pick<Statement, 'target'>,
  turn: Pick<SignedStatement, 'statement'> | undefined,
): Statement['target'] {
  if (turn === undefined) return target;
  return turn.statement.verb === 'rollBack' ? 'kcm' : 'ccm';
}

type SignedCommand = Pick<SignedStatement, 'statement' | 'by'>;

/**
 * How many people said it of this. An approval of nothing in particular is of the handover and of nothing else: who can complete
 * workflow tasks would otherwise use that of a finding for the handover, or the other way round.
 */
function signersOf(commands: readonly SignedCommand[], verb: StatementVerb, what: string): number {
  const those = commands.filter(
    ({ statement: { verb: said, subject } }) =>
      said === verb &&
      (saysOf(verb, subject, what) || (what === HANDOVER_APPROVAL && subject === '')),
  );
  return new Set(those.map(({ by }) => by.name)).size;
}

function saysOf(verb: StatementVerb, signed: string, what: string): boolean {
  return verb === 'skip' ? isAboutSubject(signed, what) : signed === what;
}

function unapproved(what: string, found: number, wanted: number): string {
  return wanted === 1
    ? `no signed approval of ${what}`
    : `${what} has signed approvals of ${String(found)} of ${String(wanted)} people`;
}

function refused(why: string): Authorisation {
  return { kind: 'refused', why };
}

/** Clocks of machines differ by so much. */
const SKEW_MS = 60_000;

/** Why a statement cannot be accepted now, by the worker's clock; null where it can. The end stops nothing that was accepted. */
export function untimely(access: AccessPolicy, statement: Statement, nowMs: number): string | null {
  const long = lastsTooLong(access, statement);
  if (long !== null) return long;
  if (!hasBegun(statement, nowMs)) return 'it is not valid yet';
  return nowMs > statement.notAfter * 1000 ? 'it has expired' : null;
}

/** Why no time is right to accept a statement; null where one is. */
export function lastsTooLong(
  { longestValiditySeconds: { run, fleet: ofFleet } }: AccessPolicy,
  { notBefore, notAfter, fleet, verb }: Statement,
): string | null {
  const longest = fleet !== '' && (verb === 'apply' || verb === 'revise') ? ofFleet : run;
  return notAfter - notBefore > longest
    ? `it could be accepted for longer than ${String(longest)} s, which the access policy allows`
    : null;
}

/** Whether the time has come from which a statement can be accepted. */
export function hasBegun({ notBefore }: Pick<Statement, 'notBefore'>, nowMs: number): boolean {
  return nowMs >= notBefore * 1000 - SKEW_MS;
}

/** Whether a statement could still be accepted when this one could be for the first time. */
export function outlasted(
  { notBefore }: Pick<Statement, 'notBefore'>,
  { notAfter }: Pick<Statement, 'notAfter'>,
): boolean {
  return notAfter >= notBefore - SKEW_MS / 1000;
}

/** Whether a token of an issuer was made (epoch seconds) while the statement that it signs could be accepted. */
export function isMadeInTime(
  { notBefore, notAfter }: Pick<Statement, 'notBefore' | 'notAfter'>,
  issuedAt: number,
): boolean {
  return issuedAt >= notBefore - SKEW_MS / 1000 && issuedAt <= notAfter;
}

/** Whether a command to a fleet can be of the fleet that this statement asks for, and not of an earlier one of its name. */
export function isOfFleetRun(
  { verb, runId, notBefore }: Statement,
  command: Pick<Statement, 'runId' | 'notBefore'>,
): boolean {
  // A new plan names the run that it is for, whose commands are older than the plan.
  const isSameRun = verb === 'revise' && command.runId === runId;
  return isSameRun || command.notBefore >= notBefore - SKEW_MS / 1000;
}

function wrongVerb(statement: Statement, verbs: readonly StatementVerb[]): string | null {
  return verbs.includes(statement.verb) ? null : 'it does not start a run';
}

/** The first member that is not what was signed. */
function differing(statement: Statement, given: Partial<Statement>): string | null {
  const signed: Readonly<Record<string, unknown>> = { ...statement };
  const other = Object.entries(given).find(([name, value]) => signed[name] !== value);
  return other === undefined ? null : `its field ${other[0]} is not what was signed`;
}

function uncovered(
  statement: Statement,
  { uid, policy, timings, materials }: GivenRun,
  member: CoveredMember,
): string | null {
  if (statement.fleet === '') return 'it is not the statement of a fleet';
  if (materials !== null && materials !== member.materials) {
    return 'its field materials is not what was signed';
  }
  const { wave } = member;
  const leaf = {
    cluster: uid,
    policy,
    materials: member.materials,
    timings,
    ...(wave && { wave }),
  };
  return isMember(statement.members, leaf, member.proof) ? null : NOT_COVERED;
}

const NOT_COVERED = 'the statement of the fleet does not cover this cluster as it is started';

function byRole({ statement, by, isRevoked }: AskedBy, subject: AccessSubject): Authorisation {
  if (isRevoked) return refused(REVOKED);
  const wanted = rolesFor(statement.verb, statement.target);
  const has = rolesOf(by, subject);
  const role = wanted.find((each) => has.includes(each));
  if (role !== undefined) return { kind: 'authorised', principal: by.name, role };
  const roles = wanted.filter((each) => each !== 'breakGlass').join(' or ');
  return refused(`${by.name} may not ${statement.verb} here: it takes the role ${roles}`);
}

const REVOKED = 'its key was revoked';

function brokenGlass({ statement, by, isRevoked }: AskedBy, subject: AccessSubject): Authorisation {
  if (isRevoked) return refused(REVOKED);
  return rolesOf(by, subject).includes('breakGlass')
    ? { kind: 'authorised', principal: by.name, role: 'breakGlass' }
    : refused(
        `${by.name} asked for it, so another person must ${VERB_RULES[statement.verb].forSecondPerson}`,
      );
}
