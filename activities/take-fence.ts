import type { FenceGrant, TakeFenceInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import type { MutationIntent, Writer } from './fence/fenced-mutation.js';
import {
  closeOpenIntentsOf,
  closeReachableIntents,
  recordedMutation,
} from './fence/fenced-mutation.js';
import type { FenceRecord } from './fence/fence-record.js';
import { FENCE } from './fence/fence-record.js';
import { objectName } from './fence/find-effect.js';
import { digestObject } from './fence/object-digest.js';
import { takeFenceOf } from './fence/take-fence.js';
import { fenceContent } from './close-run.js';
import type { LeaseObject } from './observe/lease-reading.js';

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
  return grant;
}

function writerOf(
  { evidence, clock }: ActivityDependencies,
  ports: ClusterConnection,
  input: TakeFenceInput,
  epoch: number,
): Writer {
  return {
    ...{ ports, evidence, clock, step: 'takeFence' },
    claim: { ...input, epoch, cures: [] },
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
