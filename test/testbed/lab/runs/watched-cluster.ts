import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { FENCE } from '../../../../activities/fence/fence-record.js';
import { nextPath } from '../../../../activities/node-paths.js';
import type { LabNode } from '../../../../testbed/lab/nodes/lab-node.js';
import { placeOnHost } from '../../../../testbed/lab/nodes/node-disk.js';
import type { ClusterTruth } from '../../../../testbed/lab/truth/cluster-truth.js';
import { LabObservations, MANAGERS } from '../truth/lab-observations.js';
import { untilSo } from '../truth/until.js';

interface NodeList {
  readonly items: readonly {
    readonly spec: { readonly podCIDR?: string; readonly providerID?: string };
  }[];
}

/** The process monitor reports each half second how far it has observed. */
const MONITOR_MS = 600;
const TRUTH_WITHIN_MS = 60_000;

/** A cluster of a lab whose processes are monitored: who owned what, and what the product left behind. */
export class WatchedCluster extends LabObservations {
  /** Until controllers have completed each Node: a run compares the end with its first observation. */
  async untilInitialized(): Promise<void> {
    await untilSo('each Node has its pod range and its providerID', async () => {
      const { items } = (await this.cluster.api.must('GET', '/api/v1/nodes')) as NodeList;
      return items.every(({ spec }) => Boolean(spec.podCIDR) && Boolean(spec.providerID));
    });
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

  protected controlPlane(): readonly LabNode[] {
    return this.cluster.nodes.filter(({ spec }) => spec.role === 'controlPlane');
  }
}
