import type { AccessRole } from '../../domain/authority/access-policy.js';
import {
  type GivenCommand,
  type GivenRun,
  type SignedStatement,
  authoriseSigner,
  hasBegun,
  isOfFleetRun,
  unlikeSigned,
} from '../../domain/authority/authorise.js';
import type { Statement } from '../../domain/authority/statement.js';
import type { StatementVerb } from '../../domain/authority/verb-roles.js';
import type { RunContext } from '../contract.js';
import type { OpenedEnvelope } from './signed-statement.js';

/** A command that came with a run, and by which role its sender may give it. */
export type CarriedCommand = SignedStatement & { readonly role: AccessRole };

export interface Judging {
  readonly start: SignedStatement;
  readonly run: GivenRun & Pick<RunContext, 'runId' | 'planDigest'>;
  readonly requester: string;
  /** It goes where a command turned it. */
  readonly turned: boolean;
  readonly nowMs: number;
}

export type JudgedEnvelope =
  | Extract<OpenedEnvelope, { readonly kind: 'refused' }>
  | ({ readonly kind: 'signed' } & CarriedCommand)
  /** Of this run, but its sender may not give it, or not any more: a key was revoked, a role is gone. */
  | ({ readonly kind: 'lapsed'; readonly why: string } & SignedStatement);

/** Those that their senders may still give. */
export function judgedOf(commands: readonly JudgedEnvelope[]): readonly CarriedCommand[] {
  return commands.flatMap((each) => (each.kind === 'signed' ? [each] : []));
}

/** Those, and what its sender could give when it was accepted. */
export function onceGiven(commands: readonly JudgedEnvelope[]): readonly SignedStatement[] {
  return commands.flatMap((each) => (each.kind === 'refused' ? [] : [each]));
}

/** One that was accepted for this run, or for the fleet of its statement, and whether its sender may still give it. */
export function judgedCommand(opened: OpenedEnvelope, judging: Judging): JudgedEnvelope {
  const { start, run, requester } = judging;
  if (opened.kind === 'refused') return opened;
  const { verb, nonce, subject } = opened.statement;
  const about = { cluster: run.cluster, fleet: start.statement.fleet };
  const to =
    opened.statement.fleet === '' ? toRun(verb, judging) : toFleet(opened.statement, judging);
  if (typeof to === 'string') return { kind: 'refused', why: to };
  const foreign = unlikeSigned(opened.statement, { verb, nonce, subject, ...to });
  if (foreign !== null) return { kind: 'refused', why: foreign };
  const allowed = authoriseSigner(opened, about, requester);
  return allowed.kind === 'refused'
    ? { ...opened, kind: 'lapsed', why: allowed.why }
    : { ...opened, role: allowed.role };
}

type Addressed = Pick<GivenCommand, 'workflowId' | 'runId' | 'plan'>;

/** An approval is of the plan that a run was begun with; that of a turn may be made again, and is then approved as it was. */
function toRun(verb: StatementVerb, { run, turned }: Judging): Addressed {
  const { runId, workflowId, planDigest } = run;
  return { runId, workflowId, ...(verb === 'approve' && !turned ? { plan: planDigest } : {}) };
}

/**
 * The run of a fleet is known to its server alone. A text says why the fleet cannot have accepted it: it was given to an earlier
 * one of its name, or its time has not come. That its time is over says nothing: what was accepted stays so.
 */
function toFleet(command: Statement, { start, nowMs }: Judging): Addressed | string {
  if (!isOfFleetRun(start.statement, command)) return 'it is older than the fleet';
  if (!hasBegun(command, nowMs)) return 'it is not valid yet';
  return { runId: command.runId, workflowId: start.statement.workflowId };
}

/** Why a command that was given could not be given any more; null where each still could. */
export function whyLapsed(commands: readonly JudgedEnvelope[]): string | null {
  const lapsed = commands.find((each) => each.kind === 'lapsed');
  return lapsed === undefined ? null : `a command: ${lapsed.why}`;
}
