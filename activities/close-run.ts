import type { CloseReport, CloseRunInput } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import { failureTypeOf } from './failures.js';
import { dropUsedSuccessors } from './fence/drop-successors.js';
import { closeOpenIntents, recordedMutation, type Writer } from './fence/fenced-mutation.js';
import { FENCE, releasedFence } from './fence/fence-record.js';
import { objectName } from './fence/find-effect.js';
import { digestObject } from './fence/object-digest.js';
import { listFence } from './fence/read-fence.js';

const ATTEMPTS = 8;

/**
 * Ends a run: closes open evidence by looking, and lets go of the fence if it is still this run's.
 * Repeating it changes nothing.
 */
export async function closeClusterRun(
  { evidence, clock }: ActivityDependencies,
  connection: ClusterConnection,
  input: CloseRunInput,
): Promise<CloseReport> {
  const writer: Writer = {
    ports: connection,
    claim: { ...input, cures: [] },
    step: 'closeRun',
    evidence,
    clock,
    counts: { mutations: 0 },
    seen: { fence: null },
  };
  await closeOpenIntents(writer);
  await dropUsedSuccessors(writer);
  await releaseFence(writer, input);
  const head = await evidence.head({ workflowId: input.workflowId, runId: input.runId });
  return { evidenceRecords: head.records, evidenceHead: head.hash };
}

/** A newer epoch or another run means that the fence is not ours to let go. */
async function releaseFence(writer: Writer, input: CloseRunInput): Promise<void> {
  const { api } = writer.ports;
  const options = { timeoutMs: input.timings.requestMs };
  for (let attempt = 1; ; attempt += 1) {
    const { fence, serverTimeMs } = await listFence(api, options);
    if (fence === null || fence.runId !== input.runId || fence.epoch !== input.epoch) return;
    const released = releasedFence(fence, serverTimeMs);
    const before = { kind: 'Lease', ...fenceContent(fence.runId, fence.epoch) };
    try {
      await recordedMutation(
        writer,
        {
          verb: 'update',
          object: objectName(FENCE),
          before: digestObject(before),
          after: digestObject(released),
        },
        () => api.replace(released, options),
      );
      return;
    } catch (error) {
      if (failureTypeOf(error) !== 'Conflict' || attempt >= ATTEMPTS) throw error;
    }
  }
}

/** The part of a fence that its digest looks at. */
export function fenceContent(
  holderIdentity: string,
  epoch: number,
): { metadata: { annotations: Record<string, string> }; spec: { holderIdentity: string } } {
  return {
    metadata: { annotations: { 'ccm-migrate.dev/epoch': String(epoch) } },
    spec: { holderIdentity },
  };
}
