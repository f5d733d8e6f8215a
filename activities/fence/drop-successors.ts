import type { EvidenceRecord } from '../../domain/evidence/record.js';
import type { Manager } from '../../domain/vocabulary.js';
import { MANAGERS } from '../../domain/vocabulary.js';
import { failureTypeOf } from '../failures.js';
import { manifestPath, nextPath } from '../node-paths.js';
import { fencedMutation, type Writer } from './fenced-mutation.js';
import { fileName } from './find-effect.js';

interface Successor {
  readonly node: string;
  readonly manager: Manager;
}

/**
 * Removes successors that this run put in place but did not remove because the worker died in between. Once its manifest is
 * removed for good, a leftover would look like an interrupted change and be put back in place. Requires an open fence. A node
 * that cannot be reached now is handled by the next step, or when the run is closed.
 */
export async function dropUsedSuccessors(writer: Writer): Promise<void> {
  const { token, evidence } = writer;
  const { workflowId, runId } = token;
  const records = await evidence.read({ workflowId, runId });
  for (const successor of writtenSuccessors(records)) {
    try {
      await dropIfUsed(writer, successor);
    } catch (error) {
      if (failureTypeOf(error) === null) throw error;
    }
  }
}

/** Those that the run's evidence shows as written and not removed afterwards. */
function writtenSuccessors(records: readonly EvidenceRecord[]): readonly Successor[] {
  const left = new Map<string, Successor>();
  for (const { entry } of records) {
    if (entry.kind !== 'intent') continue;
    const { verb, object } = entry.intent;
    const manager = MANAGERS.find((each) => object.endsWith(`:${nextPath(each)}`));
    if (manager === undefined) continue;
    if (verb === 'writeFile') left.set(object, { node: object.split(':')[0] ?? '', manager });
    // A removal that found nothing, or whose answer was lost, is checked as well.
    else if (wasApplied(records, entry.intent.id)) left.delete(object);
  }
  return [...left.values()];
}

function wasApplied(records: readonly EvidenceRecord[], id: string): boolean {
  return records.some(
    ({ entry }) =>
      entry.kind === 'outcome' &&
      entry.intentId === id &&
      (entry.outcome.kind === 'applied' || entry.outcome.kind === 'foundApplied'),
  );
}

async function dropIfUsed(writer: Writer, { node, manager }: Successor): Promise<void> {
  const { files } = writer.ports;
  const options = { timeoutMs: writer.token.timings.requestMs };
  const path = nextPath(manager);
  const [manifest, next] = await Promise.all([
    files.read(node, manifestPath(manager), options),
    files.read(node, path, options),
  ]);
  if (next === null || next.hash !== manifest?.hash) return;
  await fencedMutation(
    writer,
    { verb: 'removeFile', object: fileName(node, path), before: next.hash, after: '' },
    () => files.remove(node, path, { expect: next.hash, epoch: writer.token.epoch }, options),
  );
}
