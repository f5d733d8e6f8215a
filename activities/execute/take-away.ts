import { nextPath, parkedPath } from '../node-paths.js';
import type { StaticPodChange } from './change-static-pod.js';
import { backupOf, endStaticPod, readDisk } from './change-static-pod.js';
import { ABSENT, dropNodeFiles, writeNodeFiles } from './node-file-writes.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, safePoint } from './step-session.js';

/**
 * Removes a manager from a node: `parked` keeps its manifest aside for its return, `stopped` leaves nothing (a copy is in the
 * backups). What is kept is written before anything is removed; the process is proven gone at the end.
 */
export async function takeAwayStaticPod(
  session: StepSession,
  { node, want, release }: StaticPodChange,
): Promise<EffectReport> {
  const { manager } = want;
  const disk = await readDisk(session, node.name, manager);
  const gone = disk.manifest === null && node[manager].processes.length === 0;
  const kept = want.role === 'parked' ? (disk.manifest ?? disk.next) : null;
  const beside = await Promise.all(backupOf(session, node.name, manager, disk.manifest));
  const expect = disk.parked?.hash ?? ABSENT;
  const parked =
    kept === null ? [] : [{ path: parkedPath(manager), content: kept.content, expect }];
  await writeNodeFiles(session, node.name, [...beside, ...parked]);
  await dropNodeFiles(session, node.name, [nextPath(manager)]);
  if (gone) return NOTHING_LOST;
  safePoint(session);
  return endStaticPod(session, node, manager, disk.manifest, release);
}
