import { readManagerManifest } from '../../domain/manifests/manifest.js';
import { digestJson } from '../../domain/digest.js';
import type {
  BaselineObservation,
  ClusterObservation,
  Inventory,
} from '../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../../domain/manifests/paths.js';
import { parseBoundedJson } from '../../domain/yaml/bounded-json.js';
import { manifestConfig } from './manifest-reader.js';
import type { ConfigMapObject } from './objects.js';

/** The state before the first step, in ConfigMap kube-system/ccm-migrate-baseline: a rollback depends on it. */
export const BASELINE_NAME = 'ccm-migrate-baseline';

const KEYS = {
  manifest: 'kube-controller-manager.yaml',
  digest: 'digest',
  nodes: 'controlPlaneNodes',
  cloudConfig: 'cloudConfigHash',
  inventory: 'inventory.json',
} as const;

export interface Baseline {
  /** KCM manifest of a source node. */
  readonly manifest: string;
  readonly controlPlaneNodes: number;
  /** Digest of the cloud configuration that the manifest names; empty when it names none. Its text is never stored. */
  readonly cloudConfigHash: string;
  readonly inventory: Inventory;
}

/** What is recorded of a cluster in addition to the manifest of a KCM that still has its cloud loops. */
export function baselineOf(
  { nodes, inventory }: Pick<ClusterObservation, 'nodes' | 'inventory'>,
  manifest: string,
): Baseline {
  const configs = nodes.flatMap(({ kcm }) =>
    kcm.manifest.state === 'present' && kcm.manifest.config.cloudLoops ? [kcm.manifest.config] : [],
  );
  const cloudConfigHash = configs[0]?.cloudConfigHash ?? '';
  return { manifest, controlPlaneNodes: nodes.length, cloudConfigHash, inventory };
}

export function baselineObject(baseline: Baseline): ConfigMapObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: BASELINE_NAME,
      namespace: SYSTEM_NAMESPACE,
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY },
    },
    data: {
      [KEYS.manifest]: baseline.manifest,
      [KEYS.digest]: digestOf(baseline),
      [KEYS.nodes]: String(baseline.controlPlaneNodes),
      [KEYS.cloudConfig]: baseline.cloudConfigHash,
      [KEYS.inventory]: JSON.stringify(baseline.inventory),
    },
  };
}

/** Over the whole record, so that a later change is detected. */
function digestOf({ manifest, controlPlaneNodes, cloudConfigHash, inventory }: Baseline): string {
  return digestJson({ manifest, controlPlaneNodes, cloudConfigHash, inventory });
}

/** Ours have a few thousand characters; a digest over megabytes takes too long. */
const LONGEST_PART = 256 * 1024;

/**
 * Null when there is none, or when it was changed afterwards: a record that does not match its digest cannot be
 * restored.
 */
export function readBaseline(object: ConfigMapObject | null): Baseline | null {
  const data = object?.data ?? {};
  if (Object.values(data).some((text) => text.length > LONGEST_PART)) return null;
  const inventory = parsedInventory(data[KEYS.inventory] ?? '');
  if (inventory === null) return null;
  const baseline = {
    manifest: data[KEYS.manifest] ?? '',
    controlPlaneNodes: Number(data[KEYS.nodes]),
    cloudConfigHash: data[KEYS.cloudConfig] ?? '',
    inventory,
  };
  return data[KEYS.digest] === digestOf(baseline) ? baseline : null;
}

export function observeBaseline(
  baseline: Baseline | null,
  policy: MigrationPolicy,
): BaselineObservation | null {
  if (baseline === null) return null;
  const result = readManagerManifest(baseline.manifest);
  if (result.kind === 'invalid') return null;
  const nothing = { snapshot: null, configMaps: new Map() };
  const kcm = manifestConfig('kcm', result.manifest, { policy, ...nothing });
  const { cloudConfigHash, controlPlaneNodes } = baseline;
  return { digest: digestOf(baseline), controlPlaneNodes, kcm: { ...kcm, cloudConfigHash } };
}

function parsedInventory(text: string): Inventory | null {
  try {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- whatever it is, the digest of the whole must fit
    return parseBoundedJson(text) as Inventory;
  } catch {
    return null;
  }
}
