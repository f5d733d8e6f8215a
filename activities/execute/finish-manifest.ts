import type { Manager } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { manifestPath, nextPath, parkedPath } from '../node-paths.js';
import { readDisk, wordsOf } from './change-static-pod.js';
import { awaitMirrorPodGone, awaitNewProcess, awaitProcessGone } from './manager-processes.js';
import { ABSENT, dropNodeFiles, writeNodeFile } from './node-file-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, note } from './step-session.js';

/**
 * Completes a change that was interrupted after its manifest had been removed: the successor written beforehand is put in
 * place. The old process is proven gone first, because the interruption may have come before that.
 */
export async function finishManifest(
  session: StepSession,
  node: string,
  manager: Manager,
): Promise<EffectReport> {
  const disk = await readDisk(session, node, manager);
  const { next } = disk;
  if (next === null) {
    if (disk.manifest !== null) return NOTHING_LOST;
    throw failure('PreconditionFailed', `${node} has no successor of the ${manager} manifest`);
  }
  if (disk.manifest === null) {
    await awaitProcessGone(session, node, manager);
    await awaitMirrorPodGone(session, node, manager);
    await writeNodeFile(session, node, manifestPath(manager), next.content, ABSENT);
    note(session, `manifest of ${manager} written on ${node}`);
  }
  const manifest = disk.manifest ?? next;
  await awaitNewProcess(session, {
    node,
    manager,
    words: wordsOf(manifest.content),
    oldPids: new Set(),
  });
  await dropNodeFiles(session, node, [nextPath(manager), parkedPath(manager)]);
  return NOTHING_LOST;
}
