import type { FenceGrant, TakeFenceInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import type { Writer } from './fence/fenced-mutation.js';
import { closeOpenIntents, recordedMutation } from './fence/fenced-mutation.js';
import { FENCE } from './fence/fence-record.js';
import { objectName } from './fence/find-effect.js';
import { digestObject } from './fence/object-digest.js';
import { takeFenceOf } from './fence/take-fence.js';
import { fenceContent } from './close-run.js';

/**
 * Takes the fence for a run and, in its new epoch, closes by looking what attempts of older epochs left open:
 * from now on none of those can write any more.
 */
export async function takeClusterFence(
  { evidence, clock, log }: ActivityDependencies,
  connection: ClusterConnection,
  input: TakeFenceInput,
): Promise<FenceGrant> {
  const writer = (epoch: number): Writer => ({
    ports: connection,
    claim: { ...input, epoch, cures: [] },
    step: 'takeFence',
    evidence,
    clock,
    counts: { mutations: 0 },
    seen: { fence: null },
  });
  const grant = await takeFenceOf(connection.api, input, (before, wanted, act) =>
    recordedMutation(
      writer((before?.epoch ?? 0) + 1),
      {
        verb: before === null ? 'create' : 'update',
        object: objectName(FENCE),
        before:
          before === null
            ? ''
            : digestObject({ kind: 'Lease', ...fenceContent(before.runId, before.epoch) }),
        after: digestObject(wanted),
        ...(input.takeOver === undefined ? {} : { proof: `take-over: ${input.takeOver.reason}` }),
      },
      act,
    ),
  );
  const closed = await closeOpenIntents(writer(grant.epoch));
  log.info('fence taken', {
    cluster: input.cluster.name,
    epoch: grant.epoch,
    closedIntents: closed,
  });
  return grant;
}
