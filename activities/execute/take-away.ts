import { nextPath, parkedPath } from '../node-paths.js';
import { endStaticPod, readDisk, type StaticPodChange } from './change-static-pod.js';
import { ABSENT, dropNodeFile, writeNodeFile } from './node-file-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, safePoint } from './step-session.js';

/**
 * Takes a manager off a node: `parked` keeps its manifest beside for its return, `stopped` leaves nothing (a copy is in
 * the backups). What is kept is written before anything is taken away; the process is proven gone at the end.
 */
export async function takeAwayStaticPod(
  session: StepSession,
  { node, want, release }: StaticPodChange,
): Promise<EffectReport> {
  const { manager } = want;
  const disk = await readDisk(session, node.name, manager);
  const gone = disk.manifest === null && node[manager].processes.length === 0;
  const kept = want.role === 'parked' ? (disk.manifest ?? disk.next) : null;
  if (kept !== null && disk.parked?.hash !== kept.hash) {
    await writeNodeFile(
      session,
      node.name,
      parkedPath(manager),
      kept.content,
      disk.parked?.hash ?? ABSENT,
    );
  }
  if (disk.next !== null) await dropNodeFile(session, node.name, nextPath(manager));
  if (gone) return NOTHING_LOST;
  safePoint(session);
  return endStaticPod(session, node, manager, disk.manifest, release);
}
