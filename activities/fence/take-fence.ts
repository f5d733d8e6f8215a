import type { FailureType } from '../../domain/failures.js';
import { failure, failureTypeOf } from '../failures.js';
import type { FenceGrant, TakeFenceInput } from '../contract.js';
import type { LeaseObject } from '../observe/lease-reading.js';
import type { KubernetesApi } from '../ports.js';
import type { FenceRecord } from './fence-record.js';
import { grantedFence } from './fence-record.js';
import { holderOf } from './fence-verdict.js';
import { listFence } from './read-fence.js';

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
export function answerFence(input: TakeFenceInput, fence: FenceRecord | null): FenceAnswer {
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
    const answer = answerFence(input, fence);
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
