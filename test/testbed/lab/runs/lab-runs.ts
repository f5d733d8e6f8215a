import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { manifestPath } from '../../../../activities/node-paths.js';
import { grantWorker } from '../../../../testbed/demo/grant-worker.js';
import { writeLabFleet } from '../../../../testbed/demo/lab-fleet.js';
import { DEFAULT_VARIANT } from '../../../../testbed/demo/variant.js';
import { loadFleets, type Fleet } from '../../../../config/fleet.js';
import { isReadyNode } from '../../../../testbed/lab/cluster/object-fields.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import { describeLab } from '../../../../testbed/lab/describe-lab.js';
import { openLab, type Lab } from '../../../../testbed/lab/lab.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import { endAll, openRunParts, type RunParts, type Undo } from '../../../support/run-parts.js';
import { MANAGERS } from '../truth/lab-observations.js';
import { untilSo } from '../truth/until.js';
import { WatchedCluster } from './watched-cluster.js';

export interface LabRunsOptions {
  /** Control-plane nodes; 3 by default. */
  readonly nodes?: number;
  readonly workers?: number;
  readonly etcd?: 'external' | 'stacked';
  /** Whether the cluster has a Prometheus, which its inventory names; off by default. */
  readonly prometheus?: boolean;
  /** Changes what `demo --lab --in-place` uses. */
  readonly change?: (fleet: Fleet) => Fleet;
}

const HEALTHY_WITHIN_MS = 180_000;

/** Real control-plane nodes that the product migrates in place, with Temporal server and worker beside them. */
export class LabRuns extends WatchedCluster {
  readonly parts: RunParts;
  private readonly undo: readonly Undo[];

  private constructor(lab: Lab, cluster: LabCluster, parts: RunParts, undo: readonly Undo[]) {
    super(lab, cluster);
    this.parts = parts;
    this.undo = undo;
  }

  /** Starts everything; when a part fails, what was started is stopped again. */
  static async open(options: LabRunsOptions = {}): Promise<LabRuns> {
    const undo: Undo[] = [];
    try {
      const report = (line: string): void => void process.stderr.write(`${line}\n`);
      const { nodes = 3, workers = 0, etcd = 'external', prometheus = false } = options;
      const size = { nodes, workers, etcd, prometheus };
      const lab = await openLab({ ...size, watched: true, env: process.env, report });
      undo.push(() => lab.close());
      const [cluster] = lab.clusters;
      if (cluster === undefined) throw new Error('a lab without a cluster');
      const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-lab-runs-'));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      const change = options.change ?? ((same: Fleet): Fleet => same);
      const fleet = change(await fleetOf(lab, folder));
      for (const one of fleet.clusters) await grantWorker(one, fleet, cluster.kubeconfig);
      const parts = await openRunParts({ folder, fleet, stickyMs: 500 }, undo);
      const environment = new LabRuns(lab, cluster, parts, undo);
      await environment.untilInitialized();
      return environment;
    } catch (error) {
      await endAll(undo);
      throw error;
    }
  }

  /** What an administrator does before a run: the worker's role follows the policy. */
  async grant(policy: MigrationPolicy): Promise<void> {
    const { fleet } = this.parts;
    for (const one of fleet.clusters) {
      await grantWorker(one, { ...fleet, policy }, this.cluster.kubeconfig);
    }
  }

  async close(): Promise<void> {
    await endAll(this.undo);
  }

  /** What an operator waits for before `retry`: every Node is Ready, and each manager whose manifest is on a node runs there. */
  async untilHealthy(): Promise<void> {
    let seen: readonly string[] = [];
    const isHealthy = async (): Promise<boolean> => {
      seen = [...(await this.notReady()), ...this.missing()];
      return seen.length === 0;
    };
    const last = (): string => seen.join();
    await untilSo('the cluster is healthy', isHealthy, { withinMs: HEALTHY_WITHIN_MS, last });
  }

  private async notReady(): Promise<readonly string[]> {
    const nodes = this.controlPlane().map(async ({ name }) => {
      // An API server that is just starting answers later.
      const node = await this.cluster.api.send('GET', `/api/v1/nodes/${name}`).catch(() => null);
      return isReadyNode(node?.body) ? [] : [`${name} is not Ready`];
    });
    return (await Promise.all(nodes)).flat();
  }

  private missing(): readonly string[] {
    return this.controlPlane().flatMap((node) =>
      MANAGERS.filter(
        (manager) =>
          existsSync(placeOnHost(node.folder, manifestPath(manager))) &&
          this.pids(node.name, manager).length === 0,
      ).map((manager) => `no ${manager} runs on ${node.name}`),
    );
  }
}

async function fleetOf(lab: Lab, folder: string): Promise<Fleet> {
  const [cluster] = describeLab(lab).clusters;
  const machinesApi = cluster?.machinesApi ?? null;
  if (cluster === undefined || machinesApi === null) throw new Error('the lab serves no machines');
  const { sshKey } = lab;
  const files = join(folder, 'fleet');
  await mkdir(files);
  const asWorker = { ...cluster, machinesApi, kubeconfig: cluster.workerKubeconfig };
  const described = { sshKey, cluster: asWorker };
  const variant = { ...DEFAULT_VARIANT, forward: 'inPlace' } as const;
  const [fleet] = await loadFleets(await writeLabFleet(files, described, variant));
  if (fleet === undefined) throw new Error('there is no fleet');
  return fleet;
}
