import type { ManagerWant, ReleaseSequence } from '../../domain/decision/step.js';
import { digestText } from '../../domain/digest.js';
import type { ControlPlaneNode } from '../../domain/observation/observation.js';
import type { Manager } from '../../domain/vocabulary.js';
import { boundedDiff } from '../../domain/yaml/redacted-diff.js';
import { failure } from '../failures.js';
import { backupPath, manifestPath, nextPath, parkedPath } from '../node-paths.js';
import { knownManifest } from '../observe/manifest-reader.js';
import type { NodeFile } from '../ports.js';
import {
  awaitMirrorPodGone,
  awaitNewProcess,
  awaitProcessGone,
  hostOf,
  newProcessOn,
} from './manager-processes.js';
import type { WantedFile } from './node-file-writes.js';
import {
  ABSENT,
  dropNodeFiles,
  namedByContent,
  readNodeFile,
  removeFile,
  writeNodeFiles,
} from './node-file-writes.js';
import { releaseEnded } from './release-leases.js';
import { type WantedManager, followKubeadm, renderWanted } from './rendered-manager.js';
import type { EffectReport, StepSession } from './step-session.js';
import { NO_OWNERSHIP_LOSS, note, safePoint } from './step-session.js';

/** A manager on one node and its wanted state. */
interface StaticPodChange {
  readonly node: ControlPlaneNode;
  readonly want: ManagerWant;
  readonly release: ReleaseSequence;
}

/** The current files of one manager on the node. */
interface OnDisk {
  readonly manifest: NodeFile | null;
  readonly next: NodeFile | null;
  readonly parked: NodeFile | null;
}

async function readDisk(session: StepSession, node: string, manager: Manager): Promise<OnDisk> {
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
    return NO_OWNERSHIP_LOSS;
  }
  await writeSuccessor(session, node.name, manager, wanted, disk);
  safePoint(session);
  const kubeadm = manager === 'kcm' ? await followKubeadm(session, wanted.manifest) : null;
  const oldPids = new Set((await hostOf(session, node.name)).processes.map(({ pid }) => pid));
  const report = written
    ? NO_OWNERSHIP_LOSS
    : await exchange(session, { node, want, release }, disk, wanted.manifest);
  await awaitNewProcess(session, {
    node: node.name,
    manager,
    words,
    oldPids: written ? new Set() : oldPids,
  });
  await dropNodeFiles(session, node.name, [nextPath(manager), parkedPath(manager)]);
  return kubeadm === null ? report : { ...report, learned: { kubeadm } };
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
    ...Object.entries(wanted.files).map(async ([path, content]) => ({
      ...(await namedByContent(session, node, path, content)),
      // A Leader Migration file: names of controllers, which no user of a node need be kept from.
      isForAll: true,
      diff: diffOf(null, content),
    })),
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
  disk: OnDisk,
  successor: string,
): Promise<EffectReport> {
  // Before the old manager ends: its controllers have no owner until the new one runs.
  const diff = diffOf(currentText(disk), successor);
  const ended = await endStaticPod(session, node, manager, disk.manifest, release);
  await putInPlace(session, node.name, manager, { content: successor, diff });
  return ended;
}

function diffOf(before: string | null, after: string): string {
  return boundedDiff([{ before, after }]);
}

/** Writes a manifest where the kubelet runs it; there must be none. */
async function putInPlace(
  session: StepSession,
  node: string,
  manager: Manager,
  manifest: Pick<WantedFile, 'content' | 'diff'>,
): Promise<void> {
  const file = { ...manifest, path: manifestPath(manager), expect: ABSENT };
  await writeNodeFiles(session, node, [file]);
  note(session, `manifest of ${manager} written on ${node}`);
}

/**
 * Removes a manifest (its copy is already kept), proves on the host that its process is gone, and releases what it held. Also
 * when the manifest is already gone: the process may still be terminating, or its Leases may still name it.
 */
async function endStaticPod(
  session: StepSession,
  node: ControlPlaneNode,
  manager: Manager,
  manifest: NodeFile | null,
  release: ReleaseSequence,
): Promise<EffectReport> {
  if (manifest !== null) {
    const path = manifestPath(manager);
    await removeFile(session, node.name, path, manifest.hash);
  }
  const host = await awaitProcessGone(session, node.name, manager);
  const endedAtMs = manifest === null ? null : session.clock.nowMs();
  const lost = await releaseEnded(session, node, manager, host, release);
  await awaitMirrorPodGone(session, node.name, manager, endedAtMs);
  return lost;
}

/** Keeps a copy of a manifest before it is removed. */
function backupOf(
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
  const result = knownManifest(manifest);
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
    if (disk.manifest !== null) return NO_OWNERSHIP_LOSS;
    throw failure('PreconditionFailed', `${node} has no successor of the ${manager} manifest`);
  }
  if (disk.manifest === null) {
    const { content } = next;
    // What it replaces was removed by an earlier attempt, so it is shown whole.
    const diff = diffOf(null, content);
    await awaitProcessGone(session, node, manager);
    await awaitMirrorPodGone(session, node, manager, null);
    await putInPlace(session, node, manager, { content, diff });
  }
  const manifest = disk.manifest ?? next;
  const words = wordsOf(manifest.content);
  await awaitNewProcess(session, { node, manager, words, oldPids: new Set() });
  await dropNodeFiles(session, node, [nextPath(manager), parkedPath(manager)]);
  return NO_OWNERSHIP_LOSS;
}

/** Removes a manager from a node: `parked` keeps its manifest aside for its return, `stopped` leaves nothing. */
export function removeStaticPod(
  session: StepSession,
  { node, want: { manager, role }, release }: StaticPodChange,
): Promise<EffectReport> {
  return takeAway(session, { node, manager, release, isKept: role === 'parked' });
}

interface StaticPodRemoval extends Pick<StaticPodChange, 'node' | 'release'> {
  readonly manager: Manager;
  /** Whether its manifest is put aside, from where a later step brings it back; a copy is in the backups anyway. */
  readonly isKept: boolean;
}

/** What is kept is written before anything is removed; the process is proven gone at the end. */
export async function takeAway(
  session: StepSession,
  { node, manager, release, isKept }: StaticPodRemoval,
): Promise<EffectReport> {
  const disk = await readDisk(session, node.name, manager);
  const gone = disk.manifest === null && node[manager].processes.length === 0;
  const kept = isKept ? (disk.manifest ?? disk.next) : null;
  const beside = await Promise.all(backupOf(session, node.name, manager, disk.manifest));
  const expect = disk.parked?.hash ?? ABSENT;
  const parked =
    kept === null ? [] : [{ path: parkedPath(manager), content: kept.content, expect }];
  await writeNodeFiles(session, node.name, [...beside, ...parked]);
  await dropNodeFiles(session, node.name, [nextPath(manager)]);
  if (gone) return NO_OWNERSHIP_LOSS;
  safePoint(session);
  return endStaticPod(session, node, manager, disk.manifest, release);
}
