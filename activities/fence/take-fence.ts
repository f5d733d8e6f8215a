import type { FailureType } from '../../domain/failures.js';
import type { FenceGrant, TakeFenceInput } from '../contract.js';
import type { ActivityDependencies, ClusterConnection } from '../dependencies.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import { failure, failureTypeOf } from '../failures.js';
import type { LeaseObject } from '../lease-reading.js';
import { digestObject } from '../object-digest.js';
import type { KubernetesApi } from '../ports.js';
import { fenceContent } from './close-run.js';
import type { FenceRecord } from './fence-record.js';
import { FENCE, grantedFence } from './fence-record.js';
import type { MutationIntent, Writer } from './fenced-mutation.js';
import { closeOpenIntentsOf, closeReachableIntents, recordedMutation } from './fenced-mutation.js';
import { objectName } from './find-effect.js';
import { holderOf, listFence } from './read-fence.js';

/** The decision on a fence request, before anything is written. */
export type FenceAnswer =
  | { readonly kind: 'held'; readonly grant: FenceGrant }
  | { readonly kind: 'take'; readonly displaced: string }
  | {
      readonly kind: 'refuse';
      readonly type: Extract<FailureType, 'AlreadyRunning' | 'FenceLost'>;
      readonly message: string;
    };

/**
 * Decides who gets the fence. The same run and nonce get the same epoch again; another nonce of the same run, a free fence,
 * or a take-over raises it. It never expires by time: a run that no longer exists must be displaced by a person who gives a
 * reason. A run that has ended here never takes it again, and a displaced one does not take it back with an old take-over
 * request.
 */
export function decideFence(input: TakeFenceInput, fence: FenceRecord | null): FenceAnswer {
  if (fence === null) return { kind: 'take', displaced: '' };
  if (fence.ended.includes(input.runId))
    return { kind: 'refuse', type: 'FenceLost', message: OVER };
  if (fence.runId === input.runId) {
    return fence.nonce === input.nonce
      ? { kind: 'held', grant: { epoch: fence.epoch, displaced: fence.displaced } }
      : { kind: 'take', displaced: '' };
  }
  if (fence.runId === '') return { kind: 'take', displaced: '' };
  if (input.takeOver === undefined) return refused(heldByAnother(fence));
  if (fence.displaced === input.runId) {
    return refused(`${holderOf(fence)} displaced this run. Continue there`);
  }
  return { kind: 'take', displaced: fence.runId };
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

/**
 * Makes the run the one that may write. `record` wraps the write with evidence. Races with the guard's renewals end in a
 * conflict and a new read.
 */
export async function takeFenceOf(
  api: KubernetesApi,
  input: TakeFenceInput,
  record: (
    before: FenceRecord | null,
    wanted: LeaseObject,
    act: () => Promise<unknown>,
  ) => Promise<void>,
): Promise<FenceGrant> {
  let refusals = 0;
  for (let attempt = 1; ; attempt += 1) {
    const { fence, serverTimeMs } = await listFence(api, { timeoutMs: input.timings.requestMs });
    const answer = decideFence(input, fence);
    if (answer.kind === 'held') return answer.grant;
    if (answer.kind === 'refuse') {
      // A refusal ends a run permanently, so it needs two reads: the previous run may just have released the fence.
      refusals += 1;
      if (refusals > 1) throw failure(answer.type, answer.message);
      continue;
    }
    const wanted = grantedFence(input, fence, answer.displaced, serverTimeMs);
    const options = { timeoutMs: input.timings.requestMs };
    try {
      await record(fence, wanted, () =>
        fence === null ? api.create(wanted, options) : api.replace(wanted, options),
      );
      return { epoch: (fence?.epoch ?? 0) + 1, displaced: answer.displaced };
    } catch (error) {
      if (failureTypeOf(error) !== 'Conflict' || attempt >= ATTEMPTS) throw error;
    }
  }
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
  const writer = (epoch: number): Writer => writerOf(dependencies, connection, input, epoch);
  const grant = await takeFenceOf(connection.api, input, async (before, wanted, act) => {
    const own = writer((before?.epoch ?? 0) + 1);
    // An attempt that died before its write looks just like this one once this one has written.
    await closeOpenIntentsOf(own, objectName(FENCE));
    await recordedMutation(own, taking(input, before, wanted), act);
  });
  const closed = await closeReachableIntents(writer(grant.epoch));
  dependencies.log.info('fence taken', {
    cluster: input.cluster.name,
    epoch: grant.epoch,
    closedIntents: closed,
  });
  return { ...grant, evidence: await evidence.head(input) };
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
  { takeOver }: TakeFenceInput,
  before: FenceRecord | null,
  wanted: LeaseObject,
): MutationIntent {
  const held = (fence: FenceRecord): string =>
    digestObject({ kind: 'Lease', ...fenceContent(fence.runId, fence.epoch) });
  return {
    verb: before === null ? 'create' : 'update',
    object: objectName(FENCE),
    before: before === null ? '' : held(before),
    after: digestObject(wanted),
    ...(takeOver === undefined ? {} : { proof: `take-over: ${takeOver.reason}` }),
  };
}
