import type { ManagerWant } from '../../domain/decision/step.js';
import type { Finding } from '../../domain/findings/finding.js';
import { memoizeByKey } from '../../domain/memoize.js';
import {
  clusterConfigurationFollows,
  followManifest,
} from '../../domain/manifests/cluster-configuration.js';
import type { ManagerManifest } from '../../domain/manifests/manifest.js';
import { renderMachineFiles, renderManager } from '../../domain/manifests/render-manager.js';
import type { LeaderMigrationConfigMap } from '../../domain/manifests/rendered.js';
import { failure } from '../failures.js';
import { manifestPath, parkedPath } from '../node-paths.js';
import { knownManifest } from '../observe/manifest-reader.js';
import type { ConfigMapObject } from '../observe/objects.js';
import { CLUSTER_CONFIGURATION, KUBEADM_CONFIG } from '../observe/read-cached.js';
import type { KubeadmReading } from '../observe/readings.js';
import { readNodeFile } from './node-file-writes.js';
import { patchObject, readObject } from './object-writes.js';
import type { StepSession } from './step-session.js';
import { note, policyOf } from './step-session.js';

/** Everything a wanted manager needs, ready to be written. */
export interface WantedManager {
  readonly manifest: string;
  /** Absolute path → content; must exist before the manifest. */
  readonly files: Readonly<Record<string, string>>;
  readonly configMap: LeaderMigrationConfigMap | null;
}

/** Renders the wanted state of a step from the node's files, with the same code as `plan`. */
export async function renderWanted(
  session: StepSession,
  want: ManagerWant,
  current: string | null,
): Promise<WantedManager> {
  const rendering = knownRendering({
    want,
    current,
    baseline: await referenceManifest(session),
    policy: policyOf(session),
    materials: session.input.materials,
  });
  if (rendering.kind === 'impossible') throw cannotRender(session, rendering.finding);
  if (rendering.manifest === null) throw failure('Bug', 'a manager that must run has no manifest');
  return { ...rendering, manifest: rendering.manifest };
}

/** In characters: what the clusters that move at the same time need. */
const ROOM = 2 * 1024 * 1024;

/** The nodes of a cluster mostly have equal files, and what is written for one is written for the next. */
const knownRendering = memoizeByKey(renderManager, (request) => JSON.stringify(request), ROOM);
const knownMachineFiles = memoizeByKey(
  renderMachineFiles,
  (request) => JSON.stringify(request),
  ROOM,
);

/** Files of a new machine. */
export async function renderMachine(
  session: StepSession,
  side: 'source' | 'target',
): Promise<Readonly<Record<string, string>>> {
  const leaderMigration = policyOf(session).strategy === 'gap' ? 'off' : 'on';
  const rendering = knownMachineFiles({
    side,
    leaderMigration,
    baseline: await referenceManifest(session),
    policy: policyOf(session),
    materials: session.input.materials,
  });
  if (rendering.kind === 'impossible') throw cannotRender(session, rendering.finding);
  return rendering.files;
}

function cannotRender({ step }: StepSession, { code, subject, seen, fix }: Finding): Error {
  return failure('NotSupported', `step ${step}: ${code} ${subject}: ${seen}. ${fix}`);
}

/**
 * The KCM manifest from before the first step; where none was recorded (a cluster migrated by hand), that of a node that
 * still has loops, else of any node.
 */
async function referenceManifest(session: StepSession): Promise<string | null> {
  const { baselineManifest } = session.cached;
  if (baselineManifest !== null) return baselineManifest;
  const nodes = [...session.before.nodes].sort((a, b) => weight(b) - weight(a));
  for (const node of nodes.filter(({ reachable }) => reachable)) {
    const { state } = node.kcm.manifest;
    if (state !== 'present' && state !== 'parked') continue;
    const path = state === 'present' ? manifestPath('kcm') : parkedPath('kcm');
    const file = await readNodeFile(session, node.name, path);
    if (file !== null) return file.content;
  }
  return null;
}

function weight({ kcm: { manifest } }: StepSession['before']['nodes'][number]): number {
  if (manifest.state !== 'present' && manifest.state !== 'parked') return 0;
  return manifest.config.cloudLoops ? 2 : 1;
}

/**
 * Brings kubeadm's ClusterConfiguration in line with a KCM manifest, or the next `kubeadm upgrade` would undo it. Written
 * before the manifest: a step interrupted between the two is repeated, while one whose manifest is in place counts as done.
 * An unreadable configuration is left alone; the observation shows that it differs. Returns what it wrote; null when it wrote
 * nothing.
 */
export async function followKubeadm(
  session: StepSession,
  text: string,
): Promise<KubeadmReading | null> {
  const read = knownManifest(text);
  if (read.kind !== 'read') return null;
  const { manifest } = read;
  if (!differs(session.cached.kubeadm.clusterConfiguration, manifest)) return null;
  // A ConfigMap as the API gives it, in the fields we read.
  const present: ConfigMapObject | null = await readObject(session, KUBEADM_CONFIG);
  const before = present?.data?.[CLUSTER_CONFIGURATION];
  if (present === null || before === undefined) return null;
  const followed = followManifest(before, manifest);
  if (followed.kind === 'invalid' || followed.text === before) return null;
  const data = { [CLUSTER_CONFIGURATION]: followed.text };
  const patched: ConfigMapObject = { ...present, data: { ...present.data, ...data } };
  await patchObject(session, KUBEADM_CONFIG, present, { data }, patched);
  note(session, 'kubeadm-config follows');
  return { configMap: 'present', clusterConfiguration: followed.text };
}

function differs(text: string, manifest: ManagerManifest): boolean {
  return text !== '' && clusterConfigurationFollows(text, manifest) === 'no';
}
