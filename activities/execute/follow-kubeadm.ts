import {
  clusterConfigurationFollows,
  followManifest,
} from '../../domain/documents/cluster-configuration.js';
import type { ManagerManifest } from '../../domain/documents/manifest.js';
import { readManagerManifest } from '../../domain/documents/read-manifest.js';
import type { ConfigMapObject } from '../observe/objects.js';
import { CLUSTER_CONFIGURATION, KUBEADM_CONFIG } from '../observe/read-kubeadm.js';
import { patchObject, readObject } from './object-writes.js';
import type { StepSession } from './step-session.js';
import { note } from './step-session.js';

/**
 * Brings kubeadm's ClusterConfiguration in line with a KCM manifest, or the next `kubeadm upgrade` would undo it. Written
 * before the manifest: a step interrupted between the two is repeated, while one whose manifest is in place counts as done.
 * An unreadable configuration is left alone; the observation shows that it differs. Returns whether it wrote.
 */
export async function followKubeadm(session: StepSession, text: string): Promise<boolean> {
  const read = readManagerManifest(text);
  if (read.kind !== 'read') return false;
  const { manifest } = read;
  if (!differs(session.slow.kubeadm.clusterConfiguration, manifest)) return false;
  // A ConfigMap as the API gives it, in the fields we read.
  const present: ConfigMapObject | null = await readObject(session, KUBEADM_CONFIG);
  const before = present?.data?.[CLUSTER_CONFIGURATION];
  if (present === null || before === undefined) return false;
  const followed = followManifest(before, manifest);
  if (followed.kind === 'invalid' || followed.text === before) return false;
  const data = { [CLUSTER_CONFIGURATION]: followed.text };
  const patched: ConfigMapObject = { ...present, data: { ...present.data, ...data } };
  await patchObject(session, KUBEADM_CONFIG, present, { data }, patched);
  note(session, 'kubeadm-config follows');
  return true;
}

function differs(text: string, manifest: ManagerManifest): boolean {
  return text !== '' && clusterConfigurationFollows(text, manifest) === 'no';
}
