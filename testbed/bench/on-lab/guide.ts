import { MANIFEST_PATHS } from '../../../domain/manifests/paths.js';
import { removeDiskFile, replaceFile } from '../../lab/nodes/node-disk-writes.js';
import { listAt, valueAt } from '../../base/json.js';
import { leaseGrant } from '../../simulator/cluster/bootstrap-access.js';
import {
  BINDINGS,
  KCM_ROLE,
  PODS,
  RBAC_ROLES,
  type BenchEnvironment,
} from './bench-environment.js';
import { awaitedTrue } from '../../lab/host/awaited.js';
import {
  configurationFile,
  GUIDE_FILE,
  LITERAL_PATCH,
  type GuideFiles,
  type GuideManifests,
} from './guide-files.js';
import type { ManifestChange } from './rows.js';

/** The official guide as a plain script: node after node, regardless of who leads. */
export interface Script {
  readonly environment: BenchEnvironment;
  readonly order: readonly string[];
  readonly files: GuideFiles;
  readonly manifests: GuideManifests;
  readonly change: ManifestChange;
}

/** Grant, Leader Migration on each KCM, then external KCM and CCM on each node. */
export async function guideForward(script: Script): Promise<void> {
  const { order, files, manifests } = script;
  await grant(script);
  const { kcmOfN, kcmOfNext, ccmOfNext } = manifests;
  const [ofN, ofNext] = [configurationFile(files, 'kcm'), configurationFile(files, 'ccm')];
  for (const node of order)
    await changeNode(script, { node, kcm: kcmOfN, ccm: null, configuration: ofN });
  for (const node of order)
    await changeNode(script, { node, kcm: kcmOfNext, ccm: ccmOfNext, configuration: ofNext });
}

/** "Add nodes of version N with Leader Migration enabled back, replacing one of version N+1 each time." */
export async function guideBack(script: Script): Promise<void> {
  const configuration = configurationFile(script.files, 'kcm');
  for (const node of script.order)
    await changeNode(script, { node, kcm: script.manifests.kcmOfN, ccm: null, configuration });
}

async function grant({ environment: { operator }, files }: Script): Promise<void> {
  switch (files) {
    case 'corrected':
      for (const { resource, object } of leaseGrant())
        await operator.ensure(resource === 'roles' ? RBAC_ROLES : BINDINGS, object);
      return;
    case 'literal':
      // The second patch returns NotFound where the Role does not exist; an operator would continue.
      for (const role of [KCM_ROLE, KCM_ROLE.replace('kube-', 'cloud-')])
        await operator.send(
          'PATCH',
          `${RBAC_ROLES}/${role}`,
          LITERAL_PATCH,
          'application/merge-patch+json',
        );
  }
}

/** The wanted state of a node. */
interface Wanted {
  readonly node: string;
  readonly kcm: string;
  readonly ccm: string | null;
  readonly configuration: string;
}

const READY_WITHIN_MS = 180_000;
const POLL_EVERY_MS = 1_000;
/** The controllers are down meanwhile, and an operator who waits with kubectl sees the end of the pod at once. */
const GONE_EVERY_MS = 100;

/** Writes the manifests and waits until their pods are Ready, as `kubectl get pods -w` would show it. */
async function changeNode(script: Script, wanted: Wanted): Promise<void> {
  const { environment, change } = script;
  const { node, ccm } = wanted;
  const beganMs = Date.now();
  const before = await podOf(environment, 'kube-controller-manager', node);
  const disk = environment.cluster.node(node);
  if (ccm === null) removeDiskFile(disk, MANIFEST_PATHS.ccm);
  if (change === 'removedFirst') {
    removeDiskFile(disk, MANIFEST_PATHS.kcm);
    const isGone = async (): Promise<boolean> =>
      (await podOf(environment, 'kube-controller-manager', node)) === null;
    await until(environment, `the KCM's pod of ${node} is gone`, isGone, GONE_EVERY_MS);
  }
  replaceFile(disk, GUIDE_FILE, wanted.configuration);
  replaceFile(disk, MANIFEST_PATHS.kcm, wanted.kcm);
  if (ccm !== null) replaceFile(disk, MANIFEST_PATHS.ccm, ccm);
  await until(environment, `the new KCM of ${node} is Ready`, async () =>
    isNewAndReady(await podOf(environment, 'kube-controller-manager', node), before),
  );
  if (ccm !== null)
    await until(environment, `the CCM of ${node} is Ready`, async () =>
      isNewAndReady(await podOf(environment, 'cloud-controller-manager', node), null),
    );
  environment.report(`    ${node}: Ready after ${((Date.now() - beganMs) / 1000).toFixed(0)} s`);
}

async function until(
  { signal }: BenchEnvironment,
  what: string,
  holds: () => Promise<boolean>,
  everyMs = POLL_EVERY_MS,
): Promise<void> {
  await awaitedTrue(what, holds, { signal, everyMs, withinMs: READY_WITHIN_MS });
}

interface MirrorPod {
  /** The kubelet's hash of the pod's manifest. */
  readonly hash: unknown;
  readonly isReady: boolean;
}

async function podOf(
  { operator }: BenchEnvironment,
  manager: string,
  node: string,
): Promise<MirrorPod | null> {
  const path = `${PODS}/${manager}-${node}`;
  const { status, body } = await operator.send('GET', path);
  if (status === 404) return null;
  if (status !== 200) throw new Error(`GET ${path}: ${status} ${JSON.stringify(body)}`);
  const isTrue = (condition: unknown): boolean =>
    valueAt(condition, 'type') === 'Ready' && valueAt(condition, 'status') === 'True';
  return {
    hash: valueAt(body, 'metadata', 'annotations', 'kubernetes.io/config.hash'),
    isReady: listAt(body, 'status', 'conditions').some(isTrue),
  };
}

function isNewAndReady(now: MirrorPod | null, before: MirrorPod | null): boolean {
  return now !== null && now.isReady && now.hash !== before?.hash;
}
