import { HARMLESS } from '../authority/judge-run.js';
import { runRights } from '../authority/require-authority.js';
import type { CloseReport, CloseRunInput } from '../contract.js';
import type { ActivityDependencies, ClusterConnection } from '../dependencies.js';
import { requireEvidence } from '../evidence/continued-evidence.js';
import { failureTypeOf } from '../failures.js';
import { objectChange } from '../object-change.js';
import { isCluster } from '../require-cluster.js';
import { dropProbe } from './drop-probe.js';
import { dropUsedSuccessors } from './drop-successors.js';
import { FENCE, type FenceRecord, endedNote, releasedFence } from './fence-record.js';
import { type Writer, closeOpenIntents, recordedMutation } from './fenced-mutation.js';
import { objectName } from './find-effect.js';
import { type FenceReading, judgeFence, listFence } from './read-fence.js';

const ATTEMPTS = 8;

/**
 * Ends a run: closes open evidence by observation, removes what an interrupted change left if the guard still keeps the fence
 * open, and releases the fence. Idempotent.
 */
export async function closeClusterRun(
  own: ActivityDependencies,
  connection: ClusterConnection,
  input: CloseRunInput,
): Promise<CloseReport> {
  const { evidence, clock } = own;
  const writer: Writer = {
    ports: connection,
    token: { ...input, cures: [] },
    step: 'closeRun',
    evidence,
    clock,
    counts: { mutations: 0, intents: 0 },
    seen: { fence: null },
  };
  await requireEvidence(evidence, input);
  await closeOpenIntents(writer);
  const seen = await readingOf(writer, input);
  // Without a guard only the fence may be changed, even at the end.
  if (judgeFence(writer.token, seen.fence, seen.serverTimeMs).kind === 'open') {
    await dropUsedSuccessors(writer);
    await dropProbe(writer, input);
  }
  // After a write of ours the fence may be gone, and a replacement would create it again.
  const isLatest = writer.counts.intents === 0;
  const mayNote = (): Promise<boolean> => mayAsk(own, input);
  await releaseFence({ writer, mayNote }, input, isLatest ? seen : await readingOf(writer, input));
  const head = await evidence.head(input);
  return { evidenceRecords: head.records, evidenceHead: head.hash };
}

function readingOf({ ports }: Writer, { timings }: CloseRunInput): Promise<FenceReading> {
  return listFence(ports.api, { timeoutMs: timings.requestMs });
}

/**
 * Releases the fence and records in it that this run has ended, so that a late attempt of this run to take it is refused.
 * Such an attempt may already have raised the epoch; an older epoch than ours, or another run, means that the fence is not
 * ours to release. Begins with the reading `seen`: the write is conditional on it.
 */
async function releaseFence(
  ending: Ending,
  input: CloseRunInput,
  seen: FenceReading,
): Promise<void> {
  let reading = seen;
  for (let attempt = 1; ; attempt += 1) {
    try {
      await releaseOnce(ending, input, reading);
      return;
    } catch (error) {
      if (failureTypeOf(error) !== 'Conflict' || attempt >= ATTEMPTS) throw error;
    }
    reading = await readingOf(ending.writer, input);
  }
}

interface Ending {
  readonly writer: Writer;
  /** Whether the end of a run that holds no fence may be noted in it. */
  readonly mayNote: () => Promise<boolean>;
}

/** A run for which no one may ask took no fence and takes none: it leaves nothing in the cluster. */
async function mayAsk(own: ActivityDependencies, input: CloseRunInput): Promise<boolean> {
  return (await runRights(own, input, HARMLESS))?.kind !== 'refused';
}

async function releaseOnce(
  { writer, mayNote }: Ending,
  input: CloseRunInput,
  { fence, serverTimeMs }: FenceReading,
): Promise<void> {
  if (fence?.runId === '') {
    if (await mayNote()) await noteEnd(writer, input, fence);
    return;
  }
  if (fence?.runId !== input.runId || fence.epoch < input.epoch) return;
  const released = releasedFence(fence, serverTimeMs);
  const before = { kind: 'Lease', ...fenceContent(fence.runId, fence.epoch) };
  await recordedMutation(
    writer,
    {
      verb: 'update',
      object: objectName(FENCE),
      ...objectChange(before, released),
    },
    () => writer.ports.api.replace(released, { timeoutMs: input.timings.requestMs }),
  );
}

/** The end of a run that no longer holds the fence, or never did. A free fence does not identify its cluster. */
async function noteEnd(
  { ports: { api } }: Writer,
  { runId, cluster, timings }: CloseRunInput,
  fence: FenceRecord,
): Promise<void> {
  if (fence.ended.includes(runId)) return;
  const options = { timeoutMs: timings.requestMs };
  if (!(await isCluster(api, cluster, options))) return;
  const { resourceVersion } = fence;
  const patch = { metadata: { resourceVersion, annotations: endedNote(fence, runId) } };
  await api.mergePatch(FENCE, patch, options);
}

/** The part of a fence that its digest covers. */
export function fenceContent(
  holderIdentity: string,
  epoch: number,
): { metadata: { annotations: Record<string, string> }; spec: { holderIdentity: string } } {
  return {
    metadata: { annotations: { 'ccm-migrate.dev/epoch': String(epoch) } },
    spec: { holderIdentity },
  };
}
