import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import type { MachineAnswer, MachineOrderRequest, MachineProvider, MachineView } from '../model.js';
import { machineView, OrderBook } from '../../base/machines/order-book.js';
import { ControlPlaneMachine, type MachineSpec } from '../nodes/control-plane-machine.js';
import { valueAt } from '../../base/json.js';
import type { EtcdMembers } from './etcd-members.js';

type MachineState = MachineView['state'];

interface MachineRecord {
  readonly name: string;
  readonly side: 'source' | 'target';
  state: MachineState;
  reason: string;
  readonly machine: ControlPlaneMachine;
}

const DELAYS = {
  /** Order → kubelet runs. */
  boot: [9000, 20_000],
  /** Node Ready → etcd learner made a voter. */
  promote: [2000, 5000],
  /** Deletion request → processes gone. */
  powerOff: [1000, 3000],
  /** Processes gone → machine and Node gone. */
  vanish: [1000, 4000],
} as const;

export interface SimulatedMachinesOptions {
  readonly environment: ClusterEnvironment;
  /** Null when etcd runs elsewhere. */
  readonly etcd: EtcdMembers | null;
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
  /** Hostname and base files (PKI, kubeconfigs, API server) of a machine. */
  readonly prepare: (request: MachineOrderRequest) => MachineSpec;
  /** Names of machines that never boot. */
  readonly broken: ReadonlySet<string>;
}

/** The provider of control-plane machines, with the rules of docs/contracts/machines-api.md. */
export class SimulatedMachines implements MachineProvider {
  readonly etcdMemberRemoval: 'machinesApi' | 'us';
  private readonly options: SimulatedMachinesOptions;
  private readonly records = new Map<string, MachineRecord>();
  private readonly deleted = new Set<string>();
  private readonly book = new OrderBook();

  constructor(options: SimulatedMachinesOptions) {
    this.options = options;
    this.etcdMemberRemoval = options.etcdMemberRemoval;
  }

  list(): readonly MachineView[] {
    return this.sorted().map(machineView);
  }

  /** Machines that were booted at least once. */
  machines(): readonly ControlPlaneMachine[] {
    return this.sorted().flatMap(({ state, machine }) =>
      state === 'ordered' || state === 'failed' ? [] : [machine],
    );
  }

  /** Whether a machine of this name was deleted: a Node that is left of it has no host. */
  isDeleted(name: string): boolean {
    return this.deleted.has(name) && !this.records.has(name);
  }

  /** Adds an initial machine of the cluster, which boots at once. */
  adopt(side: 'source' | 'target', spec: MachineSpec): ControlPlaneMachine {
    const { environment, etcd } = this.options;
    const machine = new ControlPlaneMachine(environment, spec);
    this.records.set(spec.name, { name: spec.name, side, state: 'ready', reason: '', machine });
    environment.cloud.instances.add(spec.name);
    etcd?.add(spec.name, true);
    machine.boot();
    return machine;
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
    const earlier = this.book.earlier(request);
    if (earlier !== null) return earlier;
    const { environment, prepare, broken } = this.options;
    const machine = new ControlPlaneMachine(environment, prepare(request));
    const record: MachineRecord = { name, side, state: 'ordered', reason: '', machine };
    this.records.set(name, record);
    const bootMs = environment.draws.between(...DELAYS.boot);
    this.later(record, bootMs * 0.1, () => {
      record.state = broken.has(name) ? 'failed' : 'booting';
      record.reason = broken.has(name) ? 'the provider could not start the machine' : '';
      if (record.state === 'booting') environment.cloud.instances.add(name);
    });
    this.later(record, bootMs, () => {
      if (record.state === 'booting') this.bootUp(record);
    });
    return this.book.answered(request, { kind: 'created', machine: machineView(record) });
  }

  delete(
    name: string,
    guard: { readonly epoch: number; readonly idempotencyKey: string },
  ): MachineAnswer {
    const refusal = this.book.refusal(guard, JSON.stringify(['delete', name]));
    if (refusal !== null) return refusal;
    const record = this.records.get(name);
    if (record === undefined) return { kind: 'gone' };
    if (record.state === 'deleting') return { kind: 'deleting' };
    const keep = this.options.etcd?.whyKeep(name);
    if (keep !== undefined) return { kind: 'refused', reason: 'EtcdUnsafe', message: keep };
    const earlier = this.book.earlier(guard);
    if (earlier !== null) return earlier;
    this.takeDown(record);
    return this.book.answered(guard, { kind: 'deleting' });
  }

  private bootUp(record: MachineRecord): void {
    const { environment, etcd } = this.options;
    record.machine.boot();
    etcd?.add(record.name, false);
    this.later(record, etcd === null ? 0 : environment.draws.between(...DELAYS.promote), () => {
      etcd?.promote(record.name);
      record.state = 'ready';
    });
  }

  /** Removes the etcd member before the machine stops; the Node goes last, together with its pods. */
  private takeDown(record: MachineRecord): void {
    const { environment, etcd, etcdMemberRemoval } = this.options;
    const { name } = record;
    record.state = 'deleting';
    if (etcdMemberRemoval === 'machinesApi') etcd?.remove(name);
    const offMs = environment.draws.between(...DELAYS.powerOff);
    environment.clock.schedule(offMs, () => {
      record.machine.crash();
      environment.cloud.instances.delete(name);
    });
    environment.clock.schedule(offMs + environment.draws.between(...DELAYS.vanish), () => {
      record.machine.vanish();
      this.records.delete(name);
      this.deleted.add(name);
      environment.store.delete({ resource: 'nodes', name });
      removePodsOf(environment, name);
    });
  }

  private later(record: MachineRecord, delayMs: number, run: () => void): void {
    this.options.environment.clock.schedule(delayMs, () => {
      if (record.state !== 'deleting') run();
    });
  }

  private sorted(): readonly MachineRecord[] {
    return [...this.records.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }
}

function removePodsOf(environment: ClusterEnvironment, node: string): void {
  const pods = environment.store.list('pods');
  if (!pods.ok) return;
  for (const pod of pods.object) {
    const { name, namespace } = pod.metadata;
    if (namespace === undefined || valueAt(pod, 'spec', 'nodeName') !== node) continue;
    environment.store.delete({ resource: 'pods', namespace, name }, { gracePeriodSeconds: 0 });
  }
}
