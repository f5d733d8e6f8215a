import { readManagerManifest } from '../domain/documents/read-manifest.js';
import { digestText } from '../domain/digest.js';
import type { BaselineObservation, Inventory } from '../domain/observation.js';
import type { MigrationPolicy } from '../domain/policy.js';
import { MANAGED_BY, MANAGED_BY_LABEL, SYSTEM_NAMESPACE } from '../domain/rendering/paths.js';
import { manifestConfig } from './observe/manifest-reader.js';
import type { ConfigMapObject } from './observe/objects.js';

/** What was there before the first step, in ConfigMap kube-system/ccm-migrate-baseline: the way back rests on it. */
export const BASELINE_NAME = 'ccm-migrate-baseline';

const KEYS = {
  manifest: 'kube-controller-manager.yaml',
  digest: 'digest',
  nodes: 'controlPlaneNodes',
  inventory: 'inventory.json',
} as const;

export interface Baseline {
  /** KCM manifest of a source node. */
  readonly manifest: string;
  readonly controlPlaneNodes: number;
  readonly inventory: Inventory;
}

export function baselineObject({
  manifest,
  controlPlaneNodes,
  inventory,
}: Baseline): ConfigMapObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: BASELINE_NAME,
      namespace: SYSTEM_NAMESPACE,
      labels: { [MANAGED_BY_LABEL]: MANAGED_BY },
    },
    data: {
      [KEYS.manifest]: manifest,
      [KEYS.digest]: digestText(manifest),
      [KEYS.nodes]: String(controlPlaneNodes),
      [KEYS.inventory]: JSON.stringify(inventory),
    },
  };
}

/** Null when there is none, or when it was changed after the fact: a manifest that does not fit its digest is no way back. */
export function readBaseline(object: ConfigMapObject | null): Baseline | null {
  const manifest = object?.data?.[KEYS.manifest];
  if (manifest === undefined || object?.data?.[KEYS.digest] !== digestText(manifest)) return null;
  const inventory = parsedInventory(object.data[KEYS.inventory] ?? '');
  const controlPlaneNodes = Number(object.data[KEYS.nodes]);
  if (inventory === null || !Number.isSafeInteger(controlPlaneNodes)) return null;
  return { manifest, controlPlaneNodes, inventory };
}

export function observeBaseline(
  baseline: Baseline | null,
  policy: MigrationPolicy,
): BaselineObservation | null {
  if (baseline === null) return null;
  const result = readManagerManifest(baseline.manifest);
  if (result.kind === 'invalid') return null;
  return {
    digest: digestText(baseline.manifest),
    controlPlaneNodes: baseline.controlPlaneNodes,
    kcm: manifestConfig('kcm', result.manifest, {
      policy,
      configMaps: new Map(),
      migrationFiles: new Map(),
      cloudConfigHashes: new Map(),
    }),
  };
}

function parsedInventory(text: string): Inventory | null {
  try {
    // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- written by `baselineObject`; the digest above vouches for the object
    return JSON.parse(text) as Inventory;
  } catch {
    return null;
  }
}
