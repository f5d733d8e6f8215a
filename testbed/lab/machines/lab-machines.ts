import type {
  EtcdMemberView,
  MachineAnswer,
  MachineOrderRequest,
  MachineProvider,
  MachineView,
} from '../../base/machines/machine.js';
import { machineView, OrderBook, type OrderGuard } from '../../base/machines/order-book.js';
import { whyKeepMember } from '../../base/machines/etcd-safety.js';
import type { LabCluster } from '../cluster/lab-cluster.js';
import { schedulerManifest } from '../cluster/manifests.js';
import type { KubeletCloud, NodeSpec } from '../nodes/node-spec.js';

interface MachineRecord {
  readonly name: string;
  readonly side: 'source' | 'target';
  state: MachineView['state'];
  reason: string;
}

export interface LabMachinesOptions {
  readonly cluster: LabCluster;
  /** Cloud provider of kubelets on the source side; those of the target side are external. */
  readonly sourceKubelets: KubeletCloud;
  readonly hostnameOf: (machine: string) => string;
  /** Versions whose programs and images the lab has. */
  readonly versions: readonly string[];
}

/** The provider of a cluster's control-plane machines, with the rules of docs/contracts/machines-api.md. */
export class LabMachines implements MachineProvider {
  /** Applies to machines that have a member. */
  readonly etcdMemberRemoval = 'machinesApi';
  private readonly options: LabMachinesOptions;
  private readonly records = new Map<string, MachineRecord>();
  private readonly book = new OrderBook();
  /** Members of a stacked etcd as last observed; null when they could not be read, or etcd is external. */
  private members: readonly EtcdMemberView[] | null = null;

  constructor(options: LabMachinesOptions) {
    this.options = options;
  }

  /** Adds an initial machine of the cluster. */
  adopt(name: string): void {
    this.records.set(name, { name, side: 'source', state: 'ready', reason: '' });
  }

  list(): readonly MachineView[] {
    return [...this.records.values()].map(machineView);
  }

  order(request: MachineOrderRequest): MachineAnswer {
    const { name, side, version, files } = request;
    const refusal = this.book.refusal(
      request,
      JSON.stringify(['order', name, side, version, files]),
    );
    if (refusal !== null) return refusal;
    const existing = this.records.get(name);
    if (existing !== undefined) return { kind: 'known', machine: machineView(existing) };
    const record: MachineRecord = { name, side, state: 'ordered', reason: '' };
    this.records.set(name, record);
    void this.bootUp(record, request);
    return { kind: 'created', machine: machineView(record) };
  }

  delete(name: string, guard: OrderGuard): MachineAnswer {
    const refusal = this.book.refusal(guard, JSON.stringify(['delete', name]));
    if (refusal !== null) return refusal;
    const record = this.records.get(name);
    if (record === undefined) return { kind: 'gone' };
    if (record.state === 'deleting') return { kind: 'deleting' };
    const message = this.whyKeep(name);
    if (message !== undefined) return { kind: 'refused', reason: 'EtcdUnsafe', message };
    void this.takeDown(record);
    return { kind: 'deleting' };
  }

  /** Reads etcd's members. Called before each deletion, whose safety is decided on this observation. */
  async readEtcd(): Promise<void> {
    this.members = (await this.options.cluster.etcd?.list().catch(() => null)) ?? null;
  }

  private whyKeep(name: string): string | undefined {
    if (this.options.cluster.etcd === null) return undefined;
    return this.members === null
      ? 'no etcd member answers with a member list; see `npm run lab -- logs`'
      : whyKeepMember(this.members, name);
  }

  private async bootUp(record: MachineRecord, request: MachineOrderRequest): Promise<void> {
    const { cluster } = this.options;
    try {
      const node = await cluster.addMachine(this.specOf(request));
      if (record.state === 'ordered') record.state = 'booting';
      await cluster.nodeReady(node);
      if (record.state === 'booting') record.state = 'ready';
    } catch (error) {
      if (record.state === 'deleting') return;
      record.state = 'failed';
      record.reason = error instanceof Error ? error.message : String(error);
    }
  }

  private specOf({ name, side, version, files }: MachineOrderRequest): NodeSpec {
    const { sourceKubelets, hostnameOf, versions } = this.options;
    if (!versions.includes(version)) {
      throw new Error(`this lab has ${versions.join(' and ')}, not ${version}`);
    }
    const scheduler = '/etc/kubernetes/manifests/kube-scheduler.yaml';
    return {
      ...{ name, version, role: 'controlPlane', hostname: hostnameOf(name) },
      kubeletCloud: side === 'source' ? sourceKubelets : 'external',
      files: { [scheduler]: schedulerManifest(version), ...files },
    };
  }

  /** Removes the machine first, then its Node: the absence of a Node must never be taken for that of its machine. */
  private async takeDown(record: MachineRecord): Promise<void> {
    const { cluster } = this.options;
    record.state = 'deleting';
    try {
      const isThere = cluster.nodes.some(({ name }) => name === record.name);
      if (isThere) await cluster.removeMachine(record.name, { deleteNode: true });
      this.records.delete(record.name);
    } catch (error) {
      // A repeated request retries the deletion: a half-deleted machine must not be reported as deleted.
      record.state = 'failed';
      record.reason = error instanceof Error ? error.message : String(error);
    }
  }
}
