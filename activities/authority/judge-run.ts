import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import {
  type Authorisation,
  type GivenDirection,
  type SignedStatement,
  authoriseStart,
  hasBegun,
  lastsTooLong,
  missingCommand,
  sentTo,
  untimely,
} from '../../domain/authority/authorise.js';
import { clusterWorkflowId } from '../../config/names.js';
import { commandSubject } from '../../domain/authority/command-subject.js';
import type { SignedWave } from '../../domain/authority/member-tree.js';
import { countedApprovals, unapprovedWave } from '../../domain/fleet/wave-approvals.js';
import type { DecisionRequest } from '../../domain/decision/run-decision.js';
import { digestJson } from '../../domain/digest.js';
import type { Statement } from '../../domain/authority/statement.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import type { Materials, RunAuthority, RunContext } from '../contract.js';
import type { Authority } from '../dependencies.js';
import {
  type CarriedCommand,
  type JudgedEnvelope,
  type Judging,
  judgedCommand,
  judgedOf,
  onceGiven,
  whyLapsed,
} from './carried-commands.js';
import { readAuthority } from './read-authority.js';
import { askedLastBy, lastTurnOf, signedOf } from './requesters.js';
import { type OpenedEnvelope, openEnvelope } from './signed-statement.js';

/** What an activity is given of a run beside its context; what it does not have is null. */
export interface AskedFor {
  readonly materials: Materials | null;
  readonly decide: Pick<DecisionRequest, 'target' | 'approvals' | 'waivers' | 'waivedGates'> | null;
  /** Reason for which another run is displaced; empty where none is, null where the activity does not know. */
  readonly takeOver: string | null;
  /** Watching and repairing stay allowed to a run whose requester may no longer ask for it. */
  readonly isHarmless: boolean;
}

/**
 * What only reads, watches or ends a run, and writes nothing but its fence: it must not stop because a key was revoked while a node is
 * half-changed, but asks for a run that someone may ask for.
 */
export const HARMLESS: AskedFor = {
  materials: null,
  decide: null,
  takeOver: null,
  isHarmless: true,
};

/** What the statement of a run allows, as judged beside the credentials. */
export type RunRights = JudgedRun & {
  /** Digest of the access policy by which it was judged. */
  readonly policy: string;
};

type JudgedRun =
  | {
      readonly kind: 'allowed';
      readonly authorisation: Extract<Authorisation, { kind: 'authorised' }>;
      readonly digest: string;
      /** What may begin one run: the statement, or a start of the fleet's. */
      readonly once: string;
      /** Epoch seconds. */
      readonly notAfter: number;
      /** Of the access policy. */
      readonly version: number;
      /** Commands to its fleet that it follows: no worker has admitted them to this run before. */
      readonly relayed: readonly CarriedCommand[];
      /** Those of them, but approvals, whose time is longer than the access policy allows, so that no worker with it accepts them. */
      readonly overlong: readonly CarriedCommand[];
      /** Commands to this run that its direction rests on. */
      readonly commands: readonly CarriedCommand[];
      /**
       * Why it could not be accepted for the first time now; null where it could. Of the wave of a member, which must be approved
       * for where people sent the run: by its policy it turns back only after that.
       */
      readonly unacceptable: string | null;
    }
  | { readonly kind: 'refused'; readonly why: string; readonly statement: string };

/** Recomputes every digest from what the activity was given, and compares it with what was signed. */
export async function judgeRun(
  authority: Authority,
  input: RunContext,
  asked: AskedFor,
  nowMs: number,
): Promise<RunRights> {
  const access = await authority.policy();
  return { ...(await judgedBy(access, authority, { input, asked, nowMs })), policy: access.digest };
}

interface AskedRun {
  readonly input: RunContext;
  readonly asked: AskedFor;
  readonly nowMs: number;
}

async function judgedBy(
  access: AccessPolicy,
  authority: Authority,
  given: AskedRun,
): Promise<JudgedRun> {
  const { input, asked } = given;
  if (input.authority === undefined) return refused('nothing that is signed asks for this run');
  const carried = readAuthority(input.authority);
  if (carried === null) return refused('what asks for it cannot be read');
  const start = openEnvelope(access, carried.start);
  if (start.kind === 'refused') return refused(start.why);
  const run = await givenRun(authority, input, carried, asked);
  const opened = carried.commands.map((each) => openEnvelope(access, each));
  const approvals = (carried.member?.approvals ?? []).map((each) => openEnvelope(access, each));
  const { grant } = carried.member ?? {};
  return judgedAsRead(access, { start, run, opened, approvals, grant }, given);
}

interface ReadRun {
  readonly start: SignedStatement;
  readonly run: Judging['run'];
  readonly opened: readonly OpenedEnvelope[];
  /** Of a member's wave. */
  readonly approvals: readonly OpenedEnvelope[];
  /** Of a member. */
  readonly grant: number | undefined;
}

function judgedAsRead(
  access: AccessPolicy,
  { start, run, opened, approvals, grant }: ReadRun,
  { input, asked, nowMs }: AskedRun,
): JudgedRun {
  const signed = signedOf(opened);
  const requester = askedLastBy(start, signed);
  const turned = lastTurnOf(signed) !== undefined;
  const judging = { start, run, requester, turned, nowMs };
  const commands = opened.map((each) => judgedCommand(each, judging));
  const { statement, digest } = start;
  const given = judgedOf(commands);
  const begun = signedOf(approvals).filter((each) => hasBegun(each.statement, nowMs));
  const counted = countedOf(begun, { start, run });
  const accepted = countedOf(begun.filter(isAcceptable(access)), { start, run });
  const wave = run.member?.wave;
  const judged = { access, start, run, commands, approvals, policy: input.policy };
  const why = whyNot(judged, { wave, counted }, asked);
  if (why !== null) return refused(why, digest);
  const standing = asked.isHarmless || isOrderedBack(given) ? 'rescue' : 'inFull';
  const authorisation = authoriseStart(start, run, standing);
  if (authorisation.kind === 'refused') return refused(authorisation.why, digest);
  const ofFleet = given.filter(({ statement: { fleet } }) => fleet !== '');
  return {
    ...{ kind: 'allowed', authorisation, digest, version: access.version },
    relayed: [...counted, ...ofFleet],
    overlong: ofFleet.filter((each) => !isAcceptable(access)(each)),
    commands: given.filter(({ statement: { fleet } }) => fleet === ''),
    once: onceOf(digest, grant),
    notAfter: statement.notAfter,
    unacceptable:
      untimely(access, statement, nowMs) ??
      notYet(judged, { wave, counted: accepted }, sentTo(statement, lastTurnOf(signed))),
  };
}

interface JudgedCourse extends RunRules {
  readonly commands: readonly JudgedEnvelope[];
  readonly approvals: readonly OpenedEnvelope[];
  readonly policy: MigrationPolicy;
}

/** Why a run may not have done what it asks for, whenever it was accepted; null where it may. */
function whyNot(course: JudgedCourse, wave: WaveRules, asked: AskedFor): string | null {
  const { access, run, commands, approvals, policy } = course;
  return (
    elsewhere(run) ??
    wrongCommand(commands, course, asked) ??
    wrongApproval(approvals, wave, asked) ??
    unaskedApproval(access, policy, asked.isHarmless ? { decide: null } : asked)
  );
}

/** Why a run may not begin where people sent it; null where it may. */
function notYet(
  { access, commands, approvals, policy }: JudgedCourse,
  wave: WaveRules,
  target: Statement['target'],
): string | null {
  const decide = { target };
  return (
    whyLapsed(commands) ??
    wrongApproval(approvals, wave, { decide }) ??
    unaskedApproval(access, policy, { decide })
  );
}

function onceOf(digest: string, grant: number | undefined): string {
  return grant === undefined ? digest : `${digest}/${String(grant)}`;
}

/**
 * Why the commands that came with the run do not lead to where it goes; null where they do. One that its sender could not give any
 * more counts for nothing: it holds the way forward. A rollback that rests on another word goes on without it, and what is
 * harmless goes on by what was once accepted.
 */
function wrongCommand(
  commands: readonly JudgedEnvelope[],
  rules: RunRules,
  { decide, isHarmless }: AskedFor,
): string | null {
  const bad = commands.find((each) => each.kind === 'refused');
  if (bad !== undefined) return `a command: ${bad.why}`;
  if (decide === null) return null;
  if (isHarmless) return missingFor(rules, onceGiven(commands), decide);
  const lapsed = whyLapsed(commands);
  if (decide.target === 'ccm' && lapsed !== null) return lapsed;
  const missing = missingFor(rules, judgedOf(commands), decide);
  return missing === null ? null : (lapsed ?? missing);
}

/** Its workflow id keeps two runs of a cluster apart. The statement of a fleet names no workflow of a member. */
function elsewhere({ member, workflowId, uid }: Judging['run']): string | null {
  const isOwn = member === null || workflowId === clusterWorkflowId(uid);
  return isOwn ? null : 'the run of a member is another workflow';
}

interface RunRules {
  readonly access: AccessPolicy;
  readonly start: SignedStatement;
  readonly run: Judging['run'];
}

interface WaveRules {
  readonly wave: SignedWave | undefined;
  readonly counted: readonly CarriedCommand[];
}

/** Why the wave of a member may not begin; null where it may, and for a direction that no approval delays. */
function wrongApproval(
  approvals: readonly OpenedEnvelope[],
  { wave, counted }: WaveRules,
  { decide }: { readonly decide: { readonly target: Target | '' } | null },
): string | null {
  if (wave === undefined || decide?.target !== 'ccm') return null;
  const bad = approvals.find((each) => each.kind === 'refused');
  if (bad !== undefined) return `an approval of its wave: ${bad.why}`;
  return unapprovedWave(wave, counted.length);
}

/** Approvals that count for the wave of a member. */
function countedOf(
  approvals: readonly SignedStatement[],
  { start, run }: Pick<RunRules, 'start' | 'run'>,
): readonly CarriedCommand[] {
  const wave = run.member?.wave;
  return wave === undefined ? [] : countedApprovals(start, wave, approvals);
}

/** Whether a fleet can have accepted a command or an approval at all. When it did, only the fleet knows. */
function isAcceptable(access: AccessPolicy): (given: SignedStatement) => boolean {
  return ({ statement }) => lastsTooLong(access, statement) === null;
}

function refused(why: string, statement = ''): JudgedRun {
  return { kind: 'refused', why, statement };
}

async function givenRun(
  authority: Authority,
  { cluster, workflowId, runId, planDigest, policy, timings }: RunContext,
  { member }: RunAuthority,
  { materials, takeOver }: AskedFor,
): Promise<Judging['run']> {
  return {
    ...{ uid: cluster.uid, cluster: await authority.cluster(cluster), workflowId, runId, takeOver },
    planDigest,
    policy: digestJson(policy),
    timings: digestJson(timings),
    materials: materials === null ? null : digestJson(materials),
    member: member ?? null,
  };
}

function missingFor(
  { access: { handoverQuorum }, start: { statement }, run }: RunRules,
  commands: readonly SignedStatement[],
  { target, approvals, waivers, waivedGates = [] }: NonNullable<AskedFor['decide']>,
): string | null {
  const isAsBegun = lastTurnOf(commands) === undefined && target === statement.target;
  // A fleet names the plans of its members itself.
  if (isAsBegun && run.member === null && run.planDigest !== statement.plan) return OTHER_PLAN;
  const direction: GivenDirection = {
    ...{ target, approvals, handoverQuorum },
    skips: [...waivers, ...waivedGates].map(commandSubject),
  };
  return missingCommand(statement, commands, direction);
}

const OTHER_PLAN = 'its field plan is not what was signed';

/**
 * A run whose own policy asks fewer people than it must, where it goes forward: however it began, and never where it goes back,
 * for the access policy may have begun to demand it while the run was open.
 */
function unaskedApproval(
  { handoverApproval }: AccessPolicy,
  policy: MigrationPolicy,
  { decide }: { readonly decide: { readonly target: Target | '' } | null },
): string | null {
  const isMissing = handoverApproval === 'required' && policy.handoverApproval !== 'required';
  return isMissing && decide?.target === 'ccm' ? UNASKED : null;
}

const UNASKED =
  'another person must approve the handover: set approvals.handover: required in its MigrationPolicy';

/** An operator has ordered it back, which stands by itself. */
function isOrderedBack(commands: readonly SignedStatement[]): boolean {
  return lastTurnOf(commands)?.statement.verb === 'rollBack';
}
