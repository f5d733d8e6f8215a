import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ccmManifest } from './demo-ccm.js';
import type { MigrationVariant } from './variant.js';
import { DEFAULT_VARIANT } from './variant.js';

/** The simulator's name for its first cluster. */
export const DEMO_CLUSTER = 'sim-1';

const image = (name: string, version: string): string => `registry.k8s.io/${name}:v${version}`;

/** What differs between the fleets of the two environments. */
export interface FleetEnvironment {
  readonly cluster: string;
  /** `metadata.name` of the inventory that has it. */
  readonly inventory: string;
  readonly clusterCidr: string;
  readonly server: string;
  /** The guard's interval between observations, in real milliseconds. */
  readonly guardMs: number;
  /** Whether gates on metrics and objects are judged, too. */
  readonly gates?: boolean;
}

/** How many times slower the guard observes while nothing changes; the cluster's clock may run faster than ours. */
const IDLE_PACE = 20;

const SIMULATOR = {
  cluster: DEMO_CLUSTER,
  inventory: 'simulator',
  clusterCidr: '10.244.0.0/14',
} as const;

const fleetText = ({
  cluster,
  inventory,
}: FleetEnvironment): string => `apiVersion: ccm-migrate.dev/v1alpha1
kind: FleetMigration
metadata:
  name: demo
spec:
  inventory: ${inventory}
  policy: demo
  clusters:
    names: [${cluster}]
`;

const GATES = `  gates:
    metrics:
      catalogue: nodes
      objects: watch
      every: 2s
`;

const policyText = (
  { guardMs, gates = false }: FleetEnvironment,
  { strategy, forward, ccm, from, to }: MigrationVariant,
): string => `apiVersion: ccm-migrate.dev/v1alpha1
kind: MigrationPolicy
metadata:
  name: demo
spec:
  strategy: ${strategy}
  nodes:
    forward: ${forward}
    rollback: inPlace
  source:
    version: ${from}
    cloudProvider: labcloud
    kcmImage: ${image('kube-controller-manager', from)}
  target:
    version: ${to}
    kcmImage: ${image('kube-controller-manager', to)}
  ccm:
    image: ${image('cloud-controller-manager', to)}
    version: ${to}
    deployAs: ${ccm}
    manifest: cloud-controller-manager.yaml
    leaseTimings:
      retryPeriod: 1s
  # Nothing repairs or scales these machines by itself.
  machines:
    autoRepair: frozen
  leaderMigrationAfterRollback: keep
  soak: 5s
${gates ? GATES : ''}  timings:
    guard: ${String(guardMs)}ms
    guardIdle: ${String(guardMs * IDLE_PACE)}ms
`;

/** Writes a fleet, without its inventory, as an operator would. Returns the paths to lint. */
export async function writeFleetFiles(
  folder: string,
  environment: FleetEnvironment,
  variant: MigrationVariant,
): Promise<readonly string[]> {
  const files = {
    'fleet.yaml': fleetText(environment),
    'policy.yaml': policyText(environment, variant),
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const { clusterCidr, server } = environment;
  const ccm = ccmManifest({
    ...{ clusterCidr, server, deployAs: variant.ccm },
    image: image('cloud-controller-manager', variant.to),
  });
  await writeFile(join(folder, 'cloud-controller-manager.yaml'), ccm);
  return Object.keys(files).map((name) => join(folder, name));
}

export interface WrittenFleet extends Pick<FleetEnvironment, 'gates'> {
  readonly variant?: MigrationVariant;
}

/** The fleet of a simulated cluster; the simulator writes the inventory itself. */
export async function writeFleet(
  folder: string,
  inventory: string,
  speed: number,
  { variant = DEFAULT_VARIANT, gates = false }: WrittenFleet = {},
): Promise<readonly string[]> {
  const guardMs = Math.max(100, Math.round(500 / speed));
  const environment = { ...SIMULATOR, guardMs, gates, server: 'https://127.0.0.1' };
  return [...(await writeFleetFiles(folder, environment, variant)), inventory];
}
