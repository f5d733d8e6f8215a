import type { FailureType } from '../../domain/failures.js';
import type { RunRights } from '../authority/judge-run.js';
import {
  type AllowedRun,
  notAllowed,
  record,
  recordRefusal,
  runRights,
} from '../authority/require-authority.js';
import type { FenceGrant, TakeFenceInput } from '../contract.js';
import type { ActivityDependencies, ClusterConnection } from '../dependencies.js';
import { fieldsOf, readText } from '../../domain/fleet/read-fields.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import { failure, failureTypeOf, plainMessage } from '../failures.js';
import type { LeaseObject } from '../lease-reading.js';
import { objectChange } from '../object-change.js';
import type { KubernetesApi } from '../ports.js';
import { fenceContent } from './close-run.js';
import type { AcceptedStatement, FenceRecord } from './fence-record.js';
import { FENCE, grantedFence } from './fence-record.js';
import type { MutationIntent, Writer } from './fenced-mutation.js';
import { closeOpenIntentsOf, closeReachableIntents, recordedMutation } from './fenced-mutation.js';
import { objectName } from './find-effect.js';
import { holderOf, listFence, olderPolicy } from './read-fence.js';

/** The decision on a fence request, before anything is written. */
export type FenceAnswer =
  | { readonly kind: 'held'; readonly grant: FenceGrant }
  | { readonly kind: 'take'; readonly displaced: string }
  | {
      readonly kind: 'refuse';
      readonly type: Extract<FailureType, 'AlreadyRunning' | 'FenceLost'>;
      readonly message: string;
    }
  | {
      readonly kind: 'deny';
      readonly type: Extract<FailureType, 'NotAuthorised' | 'AuthorityLost'>;
      readonly why: string;
    };

/**
 * Decides who gets the fence. The same run and nonce get the same epoch again; another nonce of the same run, a free fence,
 * or a take-over raises it. It never expires by time: a run that no longer exists must be displaced by a person who gives a
 * reason. A run that has ended here never takes it again, and a displaced one does not take it back with an old take-over
 * request. Who may not ask for it learns nothing of who holds it. A statement is accepted once and in its time; the run that it
 * began goes on after that.
 */
export function decideFence(
  input: TakeFenceInput,
  fence: FenceRecord | null,
  allowed: RunRights | null = null,
): FenceAnswer {
  const why = allowed === null ? null : denial(input, fence, allowed);
  if (why !== null) {
    const type = fence?.runId === input.runId ? 'AuthorityLost' : 'NotAuthorised';
    return { kind: 'deny', type, why };
  }
  return decideHolder(input, fence);
}

function decideHolder(input: TakeFenceInput, fence: FenceRecord | null): FenceAnswer {
  if (fence === null) return { kind: 'take', displaced: '' };
  if (fence.ended.includes(input.runId))
    return { kind: 'refuse', type: 'FenceLost', message: OVER };
  if (fence.runId === input.runId) {
    return fence.nonce === input.nonce
      ? { kind: 'held', grant: { epoch: fence.epoch, displaced: fence.displaced } }
      : { kind: 'take', displaced: '' };
  }
  if (fence.runId === '') return { kind: 'take', displaced: '' };
  if (takeOverReason(input) === '') return refused(heldByAnother(fence));
  if (fence.displaced === input.runId) {
    return refused(`${holderOf(fence)} displaced this run. Continue there`);
  }
  return { kind: 'take', displaced: fence.runId };
}

/** Why another run may be displaced; empty where it may not be. What is judged is what counts: anyone may have sent it. */
function takeOverReason({ takeOver }: TakeFenceInput): string {
  return readText(fieldsOf(takeOver)['reason']) ?? '';
}

function denial(
  { runId }: TakeFenceInput,
  fence: FenceRecord | null,
  allowed: RunRights,
): string | null {
  if (allowed.kind === 'refused') return allowed.why;
  const { version, once } = allowed;
  const seen = fence?.accessVersion ?? 0;
  if (version < seen) {
    return olderPolicy(version, seen);
  }
  if (fence?.runId === runId) return null;
  const isUsed = fence?.statements?.some((each) => each.once === once) === true;
  return isUsed ? 'its statement began another run already' : allowed.unacceptable;
}

const OVER =
  'this run has ended and released the fence; a late attempt of it cannot take it again. Start a new run with `ccm-migrate apply`';

function refused(message: string): FenceAnswer {
  return { kind: 'refuse', type: 'AlreadyRunning', message };
}

function heldByAnother(fence: FenceRecord): string {
  return (
    `the fence Lease kube-system/ccm-migrate is held by ${holderOf(fence)}, epoch ${String(fence.epoch)}. ` +
    'Follow it with `ccm-migrate status -w`; if that run is gone for good, ' +
    'take over with `ccm-migrate apply --take-over --reason TEXT`'
  );
}

const ATTEMPTS = 8;

type RecordedTake = (
  before: FenceRecord | null,
  wanted: LeaseObject,
  act: () => Promise<unknown>,
) => Promise<void>;

/**
 * Makes the run the one that may write. `record` wraps the write with evidence. Races with the guard's renewals end in a
 * conflict and a new read.
 */
export async function takeFenceOf(
  api: KubernetesApi,
  input: TakeFenceInput,
  record: RecordedTake,
  allowed: RunRights | null = null,
): Promise<FenceGrant> {
  const options = { timeoutMs: input.timings.requestMs };
  const accepted = acceptedBy(allowed);
  const answered = patientAnswer(input, allowed);
  for (let attempt = 1; ; attempt += 1) {
    const { fence, serverTimeMs } = await listFence(api, options);
    const answer = answered(fence);
    if (answer.kind === 'held') return answer.grant;
    if (answer.kind === 'again') continue;
    const { displaced } = answer;
    const wanted = grantedFence(input, fence, { displaced, serverTimeMs, accepted });
    const write = fence === null ? api.create.bind(api) : api.replace.bind(api);
    try {
      await record(fence, wanted, () => write(wanted, options));
      return { epoch: epochAfter(fence), displaced };
    } catch (error) {
      if (failureTypeOf(error) !== 'Conflict' || attempt >= ATTEMPTS) throw error;
    }
  }
}

function acceptedBy(allowed: RunRights | null): AcceptedStatement | null {
  return allowed?.kind === 'allowed' ? allowed : null;
}

function epochAfter(fence: FenceRecord | null): number {
  return (fence?.epoch ?? 0) + 1;
}

type Answered = Extract<FenceAnswer, { kind: 'held' | 'take' }> | { readonly kind: 'again' };

/** A refusal ends a run permanently, so it needs two reads: the previous run may just have released the fence. */
function patientAnswer(
  input: TakeFenceInput,
  allowed: RunRights | null,
): (fence: FenceRecord | null) => Answered {
  let refusals = 0;
  return (fence) => {
    const answer = decideFence(input, fence, allowed);
    if (answer.kind === 'deny') throw notAllowed(answer.type, answer.why);
    if (answer.kind !== 'refuse') return answer;
    refusals += 1;
    if (refusals > 1) throw failure(answer.type, answer.message);
    return { kind: 'again' };
  };
}

/**
 * Takes the fence for a run and, in its new epoch, closes by observation what attempts of older epochs left open: from now on
 * none of those can write. What is on an unreachable node waits until it answers. Changes nothing but the fence: no guard has
 * confirmed the new epoch yet.
 */
export async function takeClusterFence(
  dependencies: ActivityDependencies,
  connection: ClusterConnection,
  input: TakeFenceInput,
): Promise<FenceGrant> {
  const { evidence } = dependencies;
  await requireEvidence(evidence, input);
  const allowed = await runRights(dependencies, input, {
    ...{ materials: null, decide: null, takeOver: takeOverReason(input), isHarmless: false },
  });
  const writer = (epoch: number): Writer => writerOf(dependencies, connection, input, epoch);
  const grant = await takeFenceOf(
    connection.api,
    input,
    async (before, wanted, act) => {
      const own = writer(epochAfter(before));
      // An attempt that died before its write looks just like this one once this one has written.
      await closeOpenIntentsOf(own, objectName(FENCE));
      if (allowed?.kind === 'allowed') await recordStart(dependencies, input, allowed);
      await recordedMutation(own, taking(input, before, wanted), act);
    },
    allowed,
  ).catch(async (error: unknown) => {
    if (DENIALS.includes(failureTypeOf(error) ?? '')) {
      const statement = allowed?.kind === 'allowed' ? allowed.digest : (allowed?.statement ?? '');
      const policy = allowed?.policy ?? '';
      await recordRefusal(dependencies, input, { why: plainMessage(error), statement, policy });
    }
    throw error;
  });
  const closed = await closeReachableIntents(writer(grant.epoch));
  dependencies.log.info('fence taken', {
    cluster: input.cluster.name,
    epoch: grant.epoch,
    closedIntents: closed,
  });
  return { ...grant, evidence: await evidence.head(input) };
}

const DENIALS: readonly string[] = ['NotAuthorised', 'AuthorityLost'];

/** The first records of a run, and of each direction: who asked for it, and by which right. */
async function recordStart(
  dependencies: ActivityDependencies,
  input: TakeFenceInput,
  { authorisation, digest, policy, relayed }: AllowedRun,
): Promise<void> {
  const { principal, role } = authorisation;
  const what = { verdict: 'accepted', verb: 'apply', principal, role } as const;
  await record(dependencies, input, { ...what, statement: digest, detail: '', policy });
  for (const { statement, digest: of, by, role: as } of relayed) {
    const { verb: asked, actor } = statement;
    const accepted = { verdict: 'accepted', verb: asked, principal: by.name, role: as } as const;
    await record(dependencies, input, { ...accepted, actor, statement: of, detail: '', policy });
  }
}

function writerOf(
  { evidence, clock }: ActivityDependencies,
  ports: ClusterConnection,
  input: TakeFenceInput,
  epoch: number,
): Writer {
  return {
    ...{ ports, evidence, clock, step: 'takeFence' },
    token: { ...input, epoch, cures: [] },
    counts: { mutations: 0, intents: 0 },
    seen: { fence: null },
  };
}

function taking(
  input: TakeFenceInput,
  before: FenceRecord | null,
  wanted: LeaseObject,
): MutationIntent {
  const reason = takeOverReason(input);
  const held =
    before === null ? null : { kind: 'Lease', ...fenceContent(before.runId, before.epoch) };
  return {
    verb: before === null ? 'create' : 'update',
    object: objectName(FENCE),
    ...objectChange(held, wanted),
    ...(reason === '' ? {} : { proof: `take-over: ${reason}` }),
  };
}
