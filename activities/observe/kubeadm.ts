import { clusterConfigurationFollows } from '../../domain/documents/cluster-configuration.js';
import type { ManagerManifest } from '../../domain/documents/manifest.js';
import type { KubeadmObservation } from '../../domain/observation.js';
import { manifestOf } from './mounted-paths.js';
import type { KubeadmReading, NodeReading } from './readings.js';

type Follows = ReturnType<typeof clusterConfigurationFollows>;

/** The last answer for each manifest that is known; comparing edits two documents. */
const ANSWERS = new WeakMap<
  ManagerManifest,
  { readonly text: string; readonly follows: Follows }
>();

/**
 * Whether kubeadm's ClusterConfiguration matches the KCM manifests; otherwise the next `kubeadm upgrade`
 * would undo our edits. While nodes differ from each other it cannot follow all of them.
 */
export function observeKubeadm(
  { configMap, clusterConfiguration }: KubeadmReading,
  nodes: readonly NodeReading[],
): KubeadmObservation {
  if (configMap !== 'present') return { configMap, followsManifests: 'unknown' };
  const manifests = nodes.flatMap(({ access }) =>
    access === null ? [] : manifestOf(access.files.kcm.manifest),
  );
  const answers = manifests.map((each) => follows(clusterConfiguration, each));
  if (answers.includes('unknown')) return { configMap, followsManifests: 'unknown' };
  return { configMap, followsManifests: answers.includes('no') ? 'no' : 'yes' };
}

function follows(text: string, manifest: ManagerManifest): Follows {
  const known = ANSWERS.get(manifest);
  if (known?.text === text) return known.follows;
  const answer = { text, follows: clusterConfigurationFollows(text, manifest) };
  ANSWERS.set(manifest, answer);
  return answer.follows;
}
