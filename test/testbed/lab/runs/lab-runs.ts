import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FENCE } from '../../../../activities/fence/fence-record.js';
import { manifestPath, nextPath } from '../../../../activities/node-paths.js';
import { writeLabFleet } from '../../../../testbed/demo/lab-fleet.js';
import { DEFAULT_VARIANT } from '../../../../testbed/demo/variant.js';
import { loadFleets, type Fleet } from '../../../../config/fleet.js';
import { isReadyNode } from '../../../../testbed/lab/cluster/object-fields.js';
import type { LabCluster } from '../../../../testbed/lab/cluster/lab-cluster.js';
import { describeLab } from '../../../../testbed/lab/describe-lab.js';
import { openLab, type Lab } from '../../../../testbed/lab/lab.js';
import type { LabNode } from '../../../../testbed/lab/nodes/lab-node.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import type { ClusterTruth } from '../../../../testbed/lab/truth/cluster-truth.js';
import { openRunParts, type RunParts, type Undo } from '../../../support/run-parts.js';
import { LabObservations, MANAGERS } from '../truth/lab-observations.js';
import { untilSo } from '../truth/until.js';

export interface LabRunsOptions {
  /** Control-plane nodes; 3 by default. */
  readonly nodes?: number;
  readonly workers?: number;
  readonly etcd?: 'external' | 'stacked';
  /** Changes what `demo --lab --in-place` uses. */
  readonly change?: (fleet: Fleet) => Fleet;
}

interface NodeList {
  readonly items: readonly {
    readonly spec: { readonly podCIDR?: string; readonly providerID?: string };
  }[];
}

/** The process monitor reports each half second how far it has observed. */
const MONITOR_MS = 600;
const TRUTH_WITHIN_MS = 60_000;
const HEALTHY_WITHIN_MS = 180_000;

/** Real control-plane nodes that the product migrates in place, with Temporal server and worker beside them. */
export class LabRuns extends LabObservations {
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
      const { nodes = 3, workers = 0, etcd = 'external' } = options;
      const size = { nodes, workers, etcd };
      const lab = await openLab({ ...size, watched: true, env: process.env, report });
      undo.push(() => lab.close());
      const [cluster] = lab.clusters;
      if (cluster === undefined) throw new Error('a lab without a cluster');
      const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-lab-runs-'));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      const fleet = await fleetOf(lab, folder);
      const change = options.change ?? ((same: Fleet): Fleet => same);
      const parts = await openRunParts({ folder, fleet: change(fleet), stickyMs: 500 }, undo);
      const environment = new LabRuns(lab, cluster, parts, undo);
      await environment.untilInitialized();
      return environment;
    } catch (error) {
      await endAll(undo);
      throw error;
    }
  }

  /** Until controllers have completed each Node: a run compares the end with its first observation. */
  private async untilInitialized(): Promise<void> {
    await untilSo('each Node has its pod range and its providerID', async () => {
      const { items } = (await this.cluster.api.must('GET', '/api/v1/nodes')) as NodeList;
      return items.every(({ spec }) => Boolean(spec.podCIDR) && Boolean(spec.providerID));
    });
  }

  async close(): Promise<void> {
    await endAll(this.undo);
  }

  /** The owners of each controller so far. */
  async truth(): Promise<ClusterTruth> {
    const keeper = this.lab.truth(this.cluster.name);
    const askedAtMs = Date.now();
    for (;;) {
      await sleep(MONITOR_MS);
      const truth = keeper.truth(Date.now());
      if (truth.nowMs >= askedAtMs) return truth;
      if (Date.now() - askedAtMs > TRUTH_WITHIN_MS)
        throw new Error('the process monitor has stopped');
    }
  }

  /** Node of the holder of a Lease; empty while it has none. Hosts are named as their Nodes here. */
  async nodeOfHolder(lease: string): Promise<string> {
    const holder = await this.holder(lease);
    return holder.slice(0, Math.max(0, holder.lastIndexOf('_')));
  }

  /** Run that holds the fence; empty once it is released. */
  async fenceHolder(): Promise<string> {
    return this.holder(FENCE.name);
  }

  /** Staged successors that no step has put in place, as `node:path`. */
  leftovers(): readonly string[] {
    return this.controlPlane().flatMap((node) =>
      MANAGERS.map(nextPath)
        .filter((path) => existsSync(placeOnHost(node.folder, path)))
        .map((path) => `${node.name}:${path}`),
    );
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

  private controlPlane(): readonly LabNode[] {
    return this.cluster.nodes.filter(({ spec }) => spec.role === 'controlPlane');
  }
}

async function fleetOf(lab: Lab, folder: string): Promise<Fleet> {
  const [cluster] = describeLab(lab).clusters;
  const machinesApi = cluster?.machinesApi ?? null;
  if (cluster === undefined || machinesApi === null) throw new Error('the lab serves no machines');
  const { sshKey } = lab;
  const files = join(folder, 'fleet');
  await mkdir(files);
  const described = { sshKey, cluster: { ...cluster, machinesApi } };
  const variant = { ...DEFAULT_VARIANT, forward: 'inPlace' } as const;
  const [fleet] = await loadFleets(await writeLabFleet(files, described, variant));
  if (fleet === undefined) throw new Error('there is no fleet');
  return fleet;
}

/** Everything is stopped, even if parts of it fail; the first failure is thrown. */
async function endAll(undo: readonly Undo[]): Promise<void> {
  const failures: unknown[] = [];
  for (const each of [...undo].reverse()) {
    await each().catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}
