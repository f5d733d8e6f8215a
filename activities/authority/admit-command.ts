import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { authoriseCommand, untimely } from '../../domain/authority/authorise.js';
import type { Admission, AdmitInput } from '../contract.js';
import type { ActivityDependencies, Authority } from '../dependencies.js';
import { askedLastBy, signedOf } from './requesters.js';
import { record, recordRefusal } from './require-authority.js';
import { openEnvelope } from './signed-statement.js';

/**
 * Whether a command to a run may be applied. What it changes is checked again where it has its effect; here its sender learns
 * at once that it is refused, and a run is not disturbed by what is not signed.
 */
export async function admitCommandOf(
  dependencies: ActivityDependencies,
  input: AdmitInput,
): Promise<Admission> {
  const { authority, clock } = dependencies;
  if (authority === undefined) return { kind: 'admitted', principal: '', note: '' };
  const access = await authority.policy();
  const found = await judgeCommand(authority, access, input, clock.nowMs());
  const { verb, actor } = input.command;
  if (found.kind === 'refused') {
    await recordRefusal(dependencies, { ...input, actor }, found, verb);
    return { kind: 'refused', why: found.why };
  }
  const { principal, role, statement } = found;
  const accepted = { verdict: 'accepted', verb, actor, principal, role, statement } as const;
  await record(dependencies, input, { ...accepted, detail: '' });
  const note = role === 'breakGlass' ? `break-glass: ${principal}` : '';
  return { kind: 'admitted', principal, note };
}

type JudgedCommand =
  | { readonly kind: 'refused'; readonly why: string; readonly statement: string }
  | {
      readonly kind: 'allowed';
      readonly principal: string;
      readonly role: string;
      readonly statement: string;
    };

async function judgeCommand(
  authority: Authority,
  access: AccessPolicy,
  input: AdmitInput,
  nowMs: number,
): Promise<JudgedCommand> {
  const { command, workflowId, runId, cluster, planDigest } = input;
  const refused = (why: string, statement = ''): JudgedCommand => ({
    ...{ kind: 'refused', why, statement },
  });
  if (command.signed === undefined) return refused('the command is not signed');
  const opened = openEnvelope(access, command.signed);
  if (opened.kind === 'refused') return refused(opened.why);
  const { digest, statement } = opened;
  const late = untimely(access, statement, nowMs);
  if (late !== null) return refused(late, digest);
  const { verb, commandId: nonce } = command;
  const given = {
    ...{ verb, workflowId, runId, nonce, subject: command.arguments['code'] ?? '' },
    ...(verb === 'approve' ? { plan: planDigest } : {}),
  };
  const { fleet, requester } = aboutRun(access, input);
  const subject = { cluster: await authority.cluster(cluster), fleet };
  const allowed = authoriseCommand(opened, given, { subject, requester });
  return allowed.kind === 'refused'
    ? refused(allowed.why, digest)
    : { ...allowed, kind: 'allowed', statement: digest };
}

/** What an admission needs of the run itself: which fleet it is of, and who cannot approve where it goes. */
function aboutRun(
  access: AccessPolicy,
  { authority }: AdmitInput,
): { readonly fleet: string; readonly requester: string | null } {
  const start = authority === undefined ? null : openEnvelope(access, authority.start);
  if (authority === undefined || start?.kind !== 'signed') return { fleet: '', requester: null };
  const commands = signedOf(authority.commands.map((each) => openEnvelope(access, each)));
  return { fleet: start.statement.fleet, requester: askedLastBy(start, commands) };
}
