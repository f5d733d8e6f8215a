import { join } from 'node:path';
import type { Cli } from '../../cli/cli.js';
import { startLab } from '../../devserver/processes/lab-process.js';
import { startSimulatorProcess } from '../../devserver/processes/simulator-process.js';
import { DEMO_CLUSTER, writeFleet } from './fleet-files.js';
import { labControl } from './lab-control.js';
import { loadFleets } from '../../config/fleet.js';
import { grantWorker } from './grant-worker.js';
import { writeLabFleet } from './lab-fleet.js';
import type { DemoLayout } from './layout.js';
import { simulatorControl } from './simulator-control.js';
import type { TruthSource } from './truth-source.js';
import type { MigrationVariant } from './variant.js';

/** The cluster that a demo migrates, with the fleet written for it. */
export interface DemoCluster {
  readonly name: string;
  /** Fleet, policy and inventory. */
  readonly files: readonly string[];
  readonly source: TruthSource;
  /** Makes the cloud refuse the CCM load balancers, just when a Service needs one; null where the demo has no cloud to break. */
  readonly breakCloud: (() => Promise<void>) | null;
  /** Of its API server; null where it keeps none. */
  readonly auditLog: string | null;
  /** How long one observation may take on a busy machine, in real milliseconds. */
  readonly observationMs: number;
  /** For the banner at the start: what serves the cluster. */
  readonly told: string;
  /** The command that ends it when it was kept. */
  readonly endIt: string;
  stop(): Promise<void>;
}

export interface ClusterChoice {
  readonly nodes: number;
  readonly keep: boolean;
  readonly variant: MigrationVariant;
}

export interface SimulatedChoice extends ClusterChoice {
  readonly seed: number;
  readonly speed: number;
}

export async function simulatedCluster(
  cli: Cli,
  layout: DemoLayout,
  choice: SimulatedChoice,
): Promise<DemoCluster> {
  const { seed, speed, nodes, keep, variant } = choice;
  const { child, inventoryPath, kubeconfigs } = await startSimulatorProcess(
    {
      ...{ seed, speed, nodes, port: 0, clusters: 1, preset: 'in-tree' },
      ...{ from: variant.from, to: variant.to, stateDir: layout.cluster },
    },
    { logFile: join(layout.logs, 'simulator.log'), env: cli.env, outlivesUs: keep },
  );
  const { pid } = child;
  const control = await simulatorControl(kubeconfigs[DEMO_CLUSTER] ?? '');
  return {
    name: DEMO_CLUSTER,
    files: await writeFleet(layout.config, inventoryPath, speed, { variant, gates: true }),
    source: control,
    auditLog: null,
    breakCloud: () => control.breakCloud('checkout'),
    observationMs: 500,
    told: `simulator pid ${pid}`,
    endIt: `kill ${pid}`,
    stop: () => child.stop(),
  };
}

/** Real control planes on this machine. Everything is removed when `stop` resolves. */
export async function labCluster(
  cli: Cli,
  layout: DemoLayout,
  { nodes, keep, variant }: ClusterChoice,
): Promise<DemoCluster> {
  const lab = await startLab(
    { nodes, from: variant.from, to: variant.to },
    {
      ...{ logFile: join(layout.logs, 'lab.log'), env: cli.env, outlivesUs: keep },
      ...{ signal: cli.signal, report: (line: string) => cli.terminal.err(`${line}\n`) },
    },
  );
  const { name, kubeconfig, workerKubeconfig } = lab.cluster;
  const asWorker = { ...lab, cluster: { ...lab.cluster, kubeconfig: workerKubeconfig } };
  const files = await writeLabFleet(layout.config, asWorker, variant);
  for (const fleet of await loadFleets(files)) {
    for (const cluster of fleet.clusters) await grantWorker(cluster, fleet, kubeconfig);
  }
  return {
    ...{ name, files },
    source: labControl(lab.folder, name),
    auditLog: lab.cluster.auditLog,
    breakCloud: null,
    // Two commands over SSH on each of four nodes, which share their CPUs with the API server and one another.
    observationMs: 1_500,
    told: `lab ${lab.lab} in ${lab.folder} (inspect: npm run lab -- status --lab ${lab.lab})`,
    endIt: `npm run lab -- down --lab ${lab.lab}`,
    stop: () => lab.child.stop(),
  };
}
