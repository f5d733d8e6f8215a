import type { AccessPolicy } from '../../domain/authority/access-policy.js';
import { commandSubject } from '../../domain/authority/command-subject.js';
import { isSkipOfGates } from '../../domain/decision/waivers.js';
import { oneLine } from '../../domain/findings/plain-text.js';
import type { OperatorCommand } from '../../domain/run/operator-command.js';
import type { Admission, AdmitInput } from '../contract.js';
import type { ActivityDependencies, Authority } from '../dependencies.js';
import {
  ADMITTED_UNASKED,
  type ArrivedCommand,
  admissionOf,
  type JudgedCommand,
  judgeCommand,
} from './judge-command.js';
import { askedLastBy, signedOf } from './requesters.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import { failure } from '../failures.js';
import { isNamedWorker } from './record-signatures.js';
import { acceptedStatements, record, recordRefusal } from './require-authority.js';
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
  if (authority === undefined) return ADMITTED_UNASKED;
  const access = await authority.policy();
  const arrived = await arrivedAt(authority, access, input);
  const judged = ofOneGate(input.command, judgeCommand(access, arrived, clock.nowMs()));
  const { verb, actor } = input.command;
  const { digest: policy } = access;
  if (judged.kind === 'refused') {
    await recordRefusal(dependencies, { ...input, actor }, { ...judged, policy }, verb);
  } else {
    await accept(dependencies, access, input, judged);
  }
  const admission = admissionOf(judged);
  const { handoverQuorum: quorum } = access;
  const isCounted = admission.kind === 'admitted' && verb === 'approve' && quorum > 1;
  return isCounted ? { ...admission, quorum } : admission;
}

/** What is signed for every gate of a code could be used for one that its sender never saw fail. */
function ofOneGate(
  { verb, arguments: { code = '', gate = '' } }: OperatorCommand,
  judged: JudgedCommand,
): JudgedCommand {
  if (judged.kind === 'refused' || verb !== 'skip' || gate !== '' || !isSkipOfGates(code)) {
    return judged;
  }
  const why = `several gates share ${oneLine(code)}: name the one that is meant with --gate, as \`ccm-migrate status\` shows it`;
  return { kind: 'refused', why, statement: judged.statement };
}

/**
 * @throws `Unavailable` where this worker cannot sign that it accepts. It then records nothing: no worker would believe it, and an
 * audit refuses a chain with an unsigned record among signed ones, whatever follows.
 */
async function accept(
  dependencies: ActivityDependencies,
  access: AccessPolicy,
  input: AdmitInput,
  { principal, role, statement }: Extract<JudgedCommand, { readonly kind: 'authorised' }>,
): Promise<void> {
  const { evidence } = dependencies;
  const { verb, actor } = input.command;
  // An acceptance elsewhere would be missing where its effect is recorded.
  await requireEvidence(evidence, input);
  if (isNamedWorker(access, evidence.keyId)) {
    const accepted = { verdict: 'accepted', verb, actor, principal, role, statement } as const;
    await record(dependencies, input, { ...accepted, policy: access.digest, detail: '' });
    return;
  }
  if ((await acceptedStatements(evidence, access, input)).has(statement)) return;
  throw failure(
    'Unavailable',
    'this worker has no key that spec.workers of the access policy names, so no worker would believe that the command was accepted: set CCM_MIGRATE_WORKER_KEY, or add its key to the policy',
  );
}

async function arrivedAt(
  authority: Authority,
  access: AccessPolicy,
  input: AdmitInput,
): Promise<ArrivedCommand> {
  const { command, workflowId, runId, cluster, planDigest } = input;
  const { verb, commandId: nonce, actor, signed } = command;
  const { fleet, requester } = aboutRun(access, input);
  return {
    ...{ signed, requester, subject: { cluster: await authority.cluster(cluster), fleet } },
    given: {
      ...{ verb, workflowId, runId, nonce, actor, subject: commandSubject(command.arguments) },
      ...(verb === 'approve' ? { plan: planDigest } : {}),
    },
  };
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
