import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { authoriseCommand, untimely } from '../../domain/authority/authorise.js';
import type { Admission, AdmitInput } from '../contract.js';
import type { ActivityDependencies, Authority } from '../dependencies.js';
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
  const about = { cluster: await authority.cluster(cluster), fleet: fleetOf(access, input) };
  const allowed = authoriseCommand(opened, given, {
    ...{ subject: about, requester: requesterOf(access, input) },
  });
  return allowed.kind === 'refused'
    ? refused(allowed.why, digest)
    : { ...allowed, kind: 'allowed', statement: digest };
}

/** Who asked for what an approval is about: the last turn, or the run. */
function requesterOf(access: AccessPolicy, { authority }: AdmitInput): string | null {
  if (authority === undefined) return null;
  const turns = authority.commands.flatMap((each) => {
    const opened = openEnvelope(access, each);
    const isTurn = opened.kind === 'signed' && TURNS.includes(opened.statement.verb);
    return isTurn ? [opened.by.name] : [];
  });
  const start = openEnvelope(access, authority.start);
  return turns.at(-1) ?? (start.kind === 'signed' ? start.by.name : null);
}

const TURNS: readonly string[] = ['rollBack', 'rollForward'];

function fleetOf(access: AccessPolicy, { authority }: AdmitInput): string {
  const start = authority === undefined ? null : openEnvelope(access, authority.start);
  return start?.kind === 'signed' ? start.statement.fleet : '';
}
