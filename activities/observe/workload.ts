import { digestJson } from '../../domain/digest.js';
import type { ManagerManifest } from '../../domain/manifests/manifest.js';
import { MANAGED_BY, MANAGED_BY_LABEL } from '../../domain/manifests/paths.js';
import type { CcmSource, CcmWorkload } from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { ApiObject } from '../ports.js';
import { knownManifest, manifestConfig } from './manifest-reader.js';
import type { ConfigMapObject } from './objects.js';

/** The CCM's workload (DaemonSet or Deployment) with what its pods would run with. */
export interface WorkloadReading {
  readonly observation: CcmWorkload;
  /** Null without a workload, or when its template cannot be read. */
  readonly manifest: ManagerManifest | null;
  /** Digest of the pod template; empty without one. */
  readonly hash: string;
  /** Texts of our ConfigMaps by `name/key`. */
  readonly configMaps: ReadonlyMap<string, string>;
}

export interface WorkloadObject extends ApiObject {
  readonly spec?: { readonly template?: unknown };
}

/**
 * Finds the CCM among the workloads of kube-system; with several the result is unknown, because any of them could be
 * the one that counts.
 */
export function workloadOf(
  workloads: readonly WorkloadObject[],
  ours: readonly ConfigMapObject[],
  policy: MigrationPolicy,
): WorkloadReading {
  const configMaps = textsOf(ours);
  const found = workloads.filter(runsCcm);
  const [workload] = found;
  if (workload === undefined) {
    const observation: CcmWorkload = { source: 'none', owner: 'none', name: '', template: null };
    return { observation, manifest: null, hash: '', configMaps };
  }
  const manifest = manifestIn(workload);
  const template =
    manifest === null
      ? null
      : manifestConfig('ccm', manifest, { policy, snapshot: null, configMaps });
  const source = found.length > 1 ? 'unknown' : sourceOf(workload.kind);
  return {
    observation: {
      source,
      owner: ownerOf(workload),
      name: workload.metadata?.name ?? '',
      template,
    },
    manifest,
    hash: digestJson(workload.spec?.template ?? null),
    configMaps,
  };
}

/** Vendors name it with a prefix (`openstack-cloud-controller-manager`); the container's arguments decide. */
function runsCcm({ spec }: WorkloadObject): boolean {
  return /cloud-controller-manager/.test(JSON.stringify(spec?.template ?? ''));
}

/** JSON is YAML: the same strict reader serves objects and files. */
function manifestIn(workload: WorkloadObject): ManagerManifest | null {
  const result = knownManifest(JSON.stringify(workload));
  return result.kind === 'read' ? result.manifest : null;
}

function sourceOf(kind: string | undefined): CcmSource {
  if (kind === 'DaemonSet') return 'daemonSet';
  return kind === 'Deployment' ? 'deployment' : 'unknown';
}

function ownerOf({ metadata }: WorkloadObject): CcmWorkload['owner'] {
  return metadata?.labels?.[MANAGED_BY_LABEL] === MANAGED_BY ? 'ours' : 'foreign';
}

function textsOf(configMaps: readonly ConfigMapObject[]): ReadonlyMap<string, string> {
  return new Map(
    configMaps.flatMap(({ metadata, data }) =>
      Object.entries(data ?? {}).map(([key, text]) => [`${metadata?.name ?? ''}/${key}`, text]),
    ),
  );
}
