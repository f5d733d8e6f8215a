import { readFile } from 'node:fs/promises';
import { packageFile } from '../../../../devserver/package-files.js';

const CCM = 'cloud-controller-manager.yaml';

/** A cluster of an inventory that no machine can reach. */
function entry(name: string, region: string): object {
  return {
    ...{ name, region, labels: { tier: name.startsWith('a') ? 'pilot' : 'main' } },
    kubeconfig: `/nowhere/${name}.kubeconfig`,
    machinesApi: { url: `https://${name}.invalid/machines` },
    metrics: { prometheus: { url: 'https://prometheus.invalid', match: { cluster: name } } },
  };
}

/** JSON is YAML. */
function document(kind: string, name: string, spec: object): string {
  return JSON.stringify({
    ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind, metadata: { name } },
    spec,
  });
}

/** Of a provider whose images, manifest and versions are its own. */
const REAL_POLICY = {
  nodes: { forward: 'inPlace', rollback: 'inPlace' },
  source: {
    ...{ version: '1.29.15-vendor.3', cloudProvider: 'aws' },
    kcmImage: 'registry.example.net/kcm:v1.29.15-vendor.3',
  },
  target: { version: '1.30.14', kcmImage: 'registry.example.net/kcm:v1.30.14' },
  ccm: {
    ...{ image: 'registry.k8s.io/cloud-controller-manager:v1.30.14', version: '1.30.14' },
    ...{ manifest: CCM, accessRules: [{ resources: ['secrets'], verbs: ['get'] }] },
  },
  gates: {
    onBreach: 'rollBack',
    metrics: { own: [{ name: 'lag', kind: 'gauge', promql: 'lag', limit: { above: 1 } }] },
  },
  approvals: { handover: 'required' },
  soak: '2h',
} as const;

/** A fleet of real clusters, called `A-B` by region and number, with the waves and the limits given. */
export async function filesOfFleet(
  clusters: readonly (readonly [name: string, region: string])[],
  fleet: object,
): Promise<Readonly<Record<string, string>>> {
  return {
    [CCM]: await readFile(packageFile('config', 'examples', 'simulated-fleet', CCM), 'utf8'),
    'inventory.yaml': document('ClusterInventory', 'real', {
      clusters: clusters.map(([name, region]) => entry(name, region)),
    }),
    'policy.yaml': document('MigrationPolicy', 'real', REAL_POLICY),
    'fleet.yaml': document('FleetMigration', 'prod', {
      ...{ inventory: 'real', policy: 'real' },
      ...fleet,
    }),
  };
}
