import type { Manager } from '../../../../domain/vocabulary.js';
import { bindAuthDelegator } from '../../../../testbed/lab/cluster/first-objects.js';
import { removeTracesOfRuns } from '../../../../testbed/lab/cluster/traces-of-runs.js';
import { openLab, type LabOptions } from '../../../../testbed/lab/lab.js';
import type { ManagerPlan, NodePlan } from '../../../../testbed/simulator/cluster/cluster-spec.js';
import type { FoundSpec } from '../../../proven/found-clusters.js';
import { MAIN, manifestPath, MIGRATION } from '../../simulator/environment.js';
import { setLeaseGrant } from './access.js';
import { LabObservations, LEASES, MANAGERS, SERVICES } from './lab-observations.js';
import {
  removeDiskFile,
  removeFolder,
  replaceFile,
} from '../../../../testbed/lab/nodes/node-disk-writes.js';
import { loadBalancerService, type ServiceObject } from './objects.js';
import { realFiles, realManifest } from './real-manifests.js';
import { untilSo } from './until.js';

/** A cluster of the lab with the interface of the simulator's `Environment`: real managers, real Leases, a cloud with a journal. */
export class LabEnvironment extends LabObservations {
  /** Manifests so far. */
  private written = 0;

  static async open(options: Omit<LabOptions, 'env' | 'report'>): Promise<LabEnvironment> {
    const report = (line: string): void => void process.stderr.write(`${line}\n`);
    const lab = await openLab({ ccmAccess: true, ...options, env: process.env, report });
    const [cluster] = lab.clusters;
    if (cluster === undefined) throw new Error('a lab without a cluster');
    await bindAuthDelegator(cluster.api);
    return new LabEnvironment(lab, cluster);
  }

  async close(): Promise<void> {
    await this.lab.close();
  }

  /**
   * Makes the cluster what an operator left: no trace of its former state, then these managers. Later ones wait until the first ones hold
   * the locks they can get; done when every process runs and the main Leases are held.
   */
  async lay({ plans, leaseGrant }: FoundSpec): Promise<void> {
    await this.clear();
    const usesMigration = plans.some(({ kcm, ccm }) =>
      [kcm, ccm].some((plan) => plan !== null && plan.migration !== 'off'),
    );
    const granted = leaseGrant ?? usesMigration;
    await setLeaseGrant(this.cluster, granted);
    const starts = plans.flatMap((plan, index) => startsOf(plan, `cp-${index + 1}`));
    for (const isLater of [false, true]) {
      const now = starts.filter((start) => start.later === isLater);
      for (const { node, manager, plan } of now) this.put(node, manager, plan);
      for (const { node, manager, plan } of now) await this.isUp(node, manager, plan);
      const protects = now.some(
        ({ plan: { migration, controllers } }) =>
          migration === 'canonical' && controllers === undefined,
      );
      // Of two in-tree KCMs only the leader tries it: a later one may be on standby.
      if (granted && protects && !isLater) await this.untilHeld(MIGRATION);
    }
  }

  /** Writes a manager's manifest and, before it, the files that it needs; `instead` replaces texts of such files. */
  put(
    node: string,
    manager: Manager,
    plan: ManagerPlan,
    instead: Readonly<Record<string, string>> = {},
  ): void {
    const files = Object.entries({ ...realFiles(manager, plan), ...instead });
    for (const [path, text] of files) replaceFile(this.node(node), path, text);
    this.written += 1;
    const text = realManifest(manager, plan, this.written);
    replaceFile(this.node(node), manifestPath(manager), text);
  }

  /** Removes the manager, waits until nothing of it is left, and writes it again: two to three seconds. */
  async exchange(node: string, manager: Manager, plan: ManagerPlan): Promise<void> {
    this.removeStale(node, manager);
    await this.untilGone(node, manager);
    this.put(node, manager, plan);
    await this.isUp(node, manager, plan);
  }

  removeStale(node: string, manager: Manager): void {
    removeDiskFile(this.node(node), manifestPath(manager));
  }

  /** Empty holder with the record's resourceVersion, as client-go releases. */
  async release(name: string): Promise<void> {
    const lease = await this.lease(name);
    const now = new Date().toISOString().replace('Z', '000Z');
    await this.cluster.api.mergePatch(`${LEASES}/${name}`, {
      metadata: { resourceVersion: lease?.metadata.resourceVersion },
      spec: { holderIdentity: '', leaseDurationSeconds: 1, renewTime: now, acquireTime: now },
    });
  }

  async addService(name: string): Promise<void> {
    await this.cluster.api.must('POST', SERVICES, loadBalancerService(name));
  }

  async deleteService(name: string): Promise<void> {
    await this.cluster.api.must('DELETE', `${SERVICES}/${name}`);
  }

  /** Removes every manager, and with them Leases, Services and what runs of this project left. */
  private async clear(): Promise<void> {
    for (const { name } of this.cluster.nodes) {
      for (const manager of MANAGERS) this.removeStale(name, manager);
      removeFolder(this.node(name), '/etc/kubernetes/ccm-migrate');
    }
    for (const { name } of this.cluster.nodes)
      for (const manager of MANAGERS) {
        // A paused process cannot exit when asked to.
        this.node(name).signalManager(manager, 'SIGCONT');
        await this.untilGone(name, manager);
      }
    await this.clearServices();
    for (const lease of [MAIN.kcm, MAIN.ccm, MIGRATION])
      await this.cluster.api.send('DELETE', `${LEASES}/${lease}`);
    await removeTracesOfRuns(this.cluster.api);
    this.lab.cloud.setFaults([]);
  }

  private async clearServices(): Promise<void> {
    const { items } = (await this.cluster.api.must('GET', SERVICES)) as { items: ServiceObject[] };
    for (const { metadata } of items.filter(({ spec }) => spec.type === 'LoadBalancer')) {
      const path = `${SERVICES}/${metadata.name}`;
      await this.cluster.api.mergePatch(path, { metadata: { finalizers: null } });
      await this.cluster.api.send('DELETE', path);
    }
    this.cluster.cloud.loadBalancers.clear();
  }

  /** Until it answers; a first one of its kind until its main Lease is held. An unreadable file prevents the start. */
  private async isUp(node: string, manager: Manager, plan: ManagerPlan): Promise<void> {
    if (plan.migration === 'unquoted') return;
    const answers = async (): Promise<boolean> =>
      (await this.ask(node, manager, '/healthz')) !== '';
    await untilSo(`the ${manager} on ${node} answers`, answers);
    await this.untilHeld(MAIN[manager]);
  }
}

interface Start {
  readonly node: string;
  readonly manager: Manager;
  readonly plan: ManagerPlan;
  readonly later: boolean;
}

function startsOf(plan: NodePlan, node: string): readonly Start[] {
  return MANAGERS.flatMap((manager) => {
    const managerPlan = plan[manager];
    const later = (plan.afterMs?.[manager] ?? 0) > 0;
    return managerPlan === null ? [] : [{ node, manager, plan: managerPlan, later }];
  });
}
