import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { packageFile } from '../../../devserver/package-files.js';
import { ZONES } from './simulated-options.js';

/** Clusters of the simulator for one fleet. */
export interface SimulatedGroup {
  /** Names start with it; also their label `fleet`. */
  readonly fleet: string;
  readonly count: number;
}

/** How the clusters of a group migrate. */
export interface FleetOfRun extends SimulatedGroup {
  readonly forward: 'inPlace' | 'replace';
  readonly soakSeconds: number;
  /** Each waits for the approval of its handover. */
  readonly waits: boolean;
  readonly rollout: Readonly<Record<string, unknown>>;
}

/**
 * The shape for the simulator: clusters of each group, spread over zones of its own. In shared ones those that are held would take
 * the places of a fleet with a cap: runs of others count while they are held.
 */
export function shapeText(groups: readonly SimulatedGroup[]): string {
  const parts = groups.flatMap(({ fleet, count }) =>
    Array.from({ length: Math.min(ZONES, count) }, (_, zone) => ({
      prefix: `${fleet}-z${zone}`,
      count: Math.floor((count - 1 - zone) / ZONES) + 1,
      labels: { fleet, zone: `${fleet}-z${zone}` },
    })),
  );
  return JSON.stringify({
    ...{ apiVersion: 'simulator.ccm-migrate.dev/v1', kind: 'SimulatorShape' },
    groups: parts,
  });
}

/** The cap of a zone applies to the label of that name. */
export function zoneOf(cluster: string): string {
  return /^(.+-z\d+)-\d+$/.exec(cluster)?.[1] ?? '';
}

const EXAMPLE = 'simulated-fleet';
const CCM = 'cloud-controller-manager.yaml';
const image = (name: string, version: string): string => `registry.k8s.io/${name}:v${version}`;

/** Writes fleet and policy as an operator would; returns their folder. */
export async function writeFleetFolder(root: string, settings: FleetOfRun): Promise<string> {
  const folder = join(root, settings.fleet);
  await mkdir(folder, { recursive: true });
  await cp(packageFile('config', 'examples', EXAMPLE, CCM), join(folder, CCM));
  await writeFile(join(folder, 'fleet.yaml'), fleetText(settings));
  await writeFile(join(folder, 'policy.yaml'), policyText(settings));
  return folder;
}

/** JSON is YAML. */
function fleetText({ fleet, rollout }: FleetOfRun): string {
  return document('FleetMigration', fleet, {
    ...{ inventory: 'simulator', policy: fleet, rollout },
    clusters: { labels: { fleet } },
  });
}

/** Everything that is not named here has its default, the guard's interval above all. */
function policyText({ fleet, forward, soakSeconds, waits }: FleetOfRun): string {
  return document('MigrationPolicy', fleet, {
    nodes: { forward, rollback: 'inPlace' },
    source: {
      ...{ version: SOURCE_VERSION, cloudProvider: 'labcloud' },
      kcmImage: image('kube-controller-manager', SOURCE_VERSION),
    },
    target: {
      version: TARGET_VERSION,
      kcmImage: image('kube-controller-manager', TARGET_VERSION),
    },
    ccm: {
      ...{ image: image('cloud-controller-manager', TARGET_VERSION), version: TARGET_VERSION },
      ...{ manifest: CCM, leaseTimings: { retryPeriod: '1s' } },
    },
    machines: { autoRepair: 'frozen' },
    soak: `${soakSeconds}s`,
    approvals: { handover: waits ? 'required' : 'notRequired' },
  });
}

function document(kind: string, name: string, spec: object): string {
  const envelope = { apiVersion: 'ccm-migrate.dev/v1alpha1', kind, metadata: { name } };
  return `${JSON.stringify({ ...envelope, spec }, null, 2)}\n`;
}
