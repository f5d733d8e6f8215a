import { readManagerManifest } from '../../domain/documents/read-manifest.js';
import { digestText } from '../../domain/digest.js';
import type { ControlPlaneNode } from '../../domain/observation.js';
import type { ManagerWant, ReleaseOrder } from '../../domain/step.js';
import type { Manager } from '../../domain/vocabulary.js';
import { failure } from '../failures.js';
import { backupPath, manifestPath, nextPath, parkedPath } from '../node-paths.js';
import type { NodeFile } from '../ports.js';
import { departedFromHost } from './departed.js';
import { followKubeadm } from './follow-kubeadm.js';
import type { WantedFile } from './node-file-writes.js';
import {
  ABSENT,
  dropNodeFiles,
  namedByContent,
  readNodeFile,
  takeAwayFile,
  writeNodeFile,
  writeNodeFiles,
} from './node-file-writes.js';
import {
  awaitMirrorPodGone,
  awaitNewProcess,
  awaitProcessGone,
  hostOf,
  newProcessOn,
} from './manager-processes.js';
import { releaseLeases } from './release-leases.js';
import { renderWanted, type WantedManager } from './rendered-manager.js';
import { lossOf } from './orphan-time.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NOTHING_LOST, note, safePoint } from './step-session.js';

/** A manager on one node and its wanted state. */
export interface StaticPodChange {
  readonly node: ControlPlaneNode;
  readonly want: ManagerWant;
  readonly release: ReleaseOrder;
}

/** The current files of one manager on the node. */
export interface OnDisk {
  readonly manifest: NodeFile | null;
  readonly next: NodeFile | null;
  readonly parked: NodeFile | null;
}

export async function readDisk(
  session: StepSession,
  node: string,
  manager: Manager,
): Promise<OnDisk> {
  const [manifest, next, parked] = await Promise.all([
    readNodeFile(session, node, manifestPath(manager)),
    readNodeFile(session, node, nextPath(manager)),
    readNodeFile(session, node, parkedPath(manager)),
  ]);
  return { manifest, next, parked };
}

/**
 * Makes a manager of a node run with other settings. Its files and successor are written first; then the manifest is removed,
 * the process proven gone, its Leases released, and the successor put in place. A crash after the manifest is removed leaves
 * `next`: the state `interrupted`, which `finishManifest` resolves. Cancellation is honoured only before that.
 */
export async function changeStaticPod(
  session: StepSession,
  { node, want, release }: StaticPodChange,
): Promise<EffectReport> {
  const { manager } = want;
  const disk = await readDisk(session, node.name, manager);
  const wanted = await renderWanted(session, want, currentText(disk));
  const words = wordsOf(wanted.manifest);
  const written = disk.manifest?.hash === digestText(wanted.manifest);
  if (written && disk.next === null && (await runsAlready(session, node.name, manager, words))) {
    await dropNodeFiles(session, node.name, [parkedPath(manager)]);
    return NOTHING_LOST;
  }
  await writeSuccessor(session, node.name, manager, wanted, disk);
  safePoint(session);
  const followed = manager === 'kcm' && (await followKubeadm(session, wanted.manifest));
  const oldPids = new Set((await hostOf(session, node.name)).processes.map(({ pid }) => pid));
  const report = written
    ? NOTHING_LOST
    : await exchange(session, { node, want, release }, disk, wanted.manifest);
  await awaitNewProcess(session, {
    node: node.name,
    manager,
    words,
    oldPids: written ? new Set() : oldPids,
  });
  await dropNodeFiles(session, node.name, [nextPath(manager), parkedPath(manager)]);
  return followed ? { ...report, changed: ['kubeadm'] } : report;
}

/** The manifest to edit: the one in place, else the intended successor, else the parked one. */
function currentText({ manifest, next, parked }: OnDisk): string | null {
  return (manifest ?? next ?? parked)?.content ?? null;
}

/** Everything the successor needs, and the successor itself next to the manifest that is still in place. */
async function writeSuccessor(
  session: StepSession,
  node: string,
  manager: Manager,
  wanted: Pick<WantedManager, 'manifest' | 'files'>,
  disk: OnDisk,
): Promise<void> {
  const beside = await Promise.all([
    ...Object.entries(wanted.files).map(([path, content]) =>
      namedByContent(session, node, path, content),
    ),
    ...backupOf(session, node, manager, disk.manifest),
  ]);
  const next = {
    path: nextPath(manager),
    content: wanted.manifest,
    expect: disk.next?.hash ?? ABSENT,
  };
  // Without a manifest in place the successor alone makes the node `interrupted`: its files must exist before it.
  if (disk.manifest === null) await writeNodeFiles(session, node, beside);
  await writeNodeFiles(session, node, disk.manifest === null ? [next] : [...beside, next]);
}

/** The critical section: from removing the manifest to writing its successor. */
async function exchange(
  session: StepSession,
  { node, want: { manager }, release }: StaticPodChange,
  { manifest }: OnDisk,
  successor: string,
): Promise<EffectReport> {
  const ended = await endStaticPod(session, node, manager, manifest, release);
  await writeNodeFile(session, node.name, manifestPath(manager), successor, ABSENT);
  note(session, `manifest of ${manager} written on ${node.name}`);
  return ended;
}

/**
 * Removes a manifest (its copy is already kept), proves on the host that its process is gone, and releases what it held. Also
 * when the manifest is already gone: the process may still be terminating, or its Leases may still name it.
 */
export async function endStaticPod(
  session: StepSession,
  node: ControlPlaneNode,
  manager: Manager,
  manifest: NodeFile | null,
  release: ReleaseOrder,
): Promise<EffectReport> {
  if (manifest !== null) {
    const path = manifestPath(manager);
    await takeAwayFile(session, node.name, path, manifest.hash);
  }
  const host = await awaitProcessGone(session, node.name, manager);
  const lost = lossOf(session, node.name, [manager], host.nowMs);
  const departed = departedFromHost(session, node, manager);
  if (departed !== null) await releaseLeases(session, departed, release);
  await awaitMirrorPodGone(session, node.name, manager);
  return lost;
}

/** Keeps a copy of a manifest before it is removed. */
export function backupOf(
  session: StepSession,
  node: string,
  manager: Manager,
  manifest: NodeFile | null,
): readonly Promise<WantedFile>[] {
  if (manifest === null) return [];
  const path = backupPath(manager, manifest.hash);
  return [namedByContent(session, node, path, manifest.content)];
}

/** Arguments of the manager's container; they identify a process of this manifest. */
export function wordsOf(manifest: string): readonly string[] {
  const result = readManagerManifest(manifest);
  if (result.kind === 'read') return result.manifest.arguments;
  throw failure('Bug', 'our own manifest cannot be read back');
}

async function runsAlready(
  session: StepSession,
  node: string,
  manager: Manager,
  words: readonly string[],
): Promise<boolean> {
  const host = await hostOf(session, node);
  return newProcessOn(host, { node, manager, words, oldPids: new Set() }) !== null;
}
