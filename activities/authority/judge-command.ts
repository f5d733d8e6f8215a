import type { AccessPolicy, AccessSubject } from '../../domain/authority/access-policy.js';
import {
  type Authorisation,
  type GivenCommand,
  authoriseCommand,
  untimely,
} from '../../domain/authority/authorise.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
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
  return { ...authoriseCommand(opened, given, { subject, requester }), statement: digest };
}

/** As a run or a fleet is told of it. */
export function admissionOf(judged: JudgedCommand): Admission {
  if (judged.kind === 'refused') return { kind: 'refused', why: judged.why };
  const { principal, role } = judged;
  const note = role === 'breakGlass' ? `break-glass: ${principal}` : '';
  return { kind: 'admitted', principal, note };
}

/** By a worker without an access policy. */
export const ADMITTED_UNASKED: Admission = { kind: 'admitted', principal: '', note: '' };
