import type {
  AccessPolicy,
  AccessRole,
  AccessSubject,
} from '../../domain/authority/access-policy.js';
import {
  type Authorisation,
  type GivenCommand,
  authoriseCommand,
  untimely,
} from '../../domain/authority/authorise.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import { isAutomation } from '../../domain/run/automation.js';
import type { Admission } from '../contract.js';
import { openEnvelope } from './signed-statement.js';

/** What became of a command that was sent to a run or a fleet. `statement`: its digest; empty where none can be read. */
export type JudgedCommand = Authorisation & { readonly statement: string };

/** A command that has just arrived, with what the policy says about its sender. */
export interface ArrivedCommand {
  /** Undefined where it is not signed. */
  readonly signed: Envelope | undefined;
  readonly given: GivenCommand;
  readonly subject: AccessSubject;
  /** Who cannot approve it; null where it is not known. */
  readonly requester: string | null;
}

/** Whether a command may be applied that is accepted now. */
export function judgeCommand(
  access: AccessPolicy,
  { signed, given, subject, requester }: ArrivedCommand,
  nowMs: number,
): JudgedCommand {
  const refused = (why: string, statement = ''): JudgedCommand => ({
    ...{ kind: 'refused', why, statement },
  });
  if (signed === undefined) return refused('the command is not signed');
  const opened = openEnvelope(access, signed);
  if (opened.kind === 'refused') return refused(opened.why);
  const { digest } = opened;
  const late = untimely(access, opened.statement, nowMs);
  if (late !== null) return refused(late, digest);
  const judged = authoriseCommand(opened, given, { subject, requester });
  if (judged.kind === 'authorised' && claimsToBePerson(judged.role, given)) {
    return refused(`${judged.principal} has the role automation here: ${SAY_SO}`, digest);
  }
  return { ...judged, statement: digest };
}

/** The policy of a run says what automation may do there, which must not depend on how automation calls itself. */
function claimsToBePerson(role: AccessRole, { actor = '' }: GivenCommand): boolean {
  return role === 'automation' && !isAutomation(actor);
}

const SAY_SO = 'its actor must begin with automation/';

/** As a run or a fleet is told of it. */
export function admissionOf(judged: JudgedCommand): Admission {
  if (judged.kind === 'refused') return { kind: 'refused', why: judged.why };
  const { principal, role } = judged;
  const note = role === 'breakGlass' ? `break-glass: ${principal}` : '';
  const byAutomation = role === 'automation' ? ({ byAutomation: true } as const) : {};
  return { kind: 'admitted', principal, note, ...byAutomation };
}

/** By a worker without an access policy. */
export const ADMITTED_UNASKED: Admission = { kind: 'admitted', principal: '', note: '' };
