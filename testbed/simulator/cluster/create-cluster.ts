import type { Manager } from '../../../domain/vocabulary.js';
import type { ServedBalancer } from '../../base/cloud-api.js';
import { ETCD_MANIFEST } from '../../base/kubeadm-defaults.js';
import { OwnershipLog } from '../../base/truth/ownership-log.js';
import { ofEachOwned } from '../../base/truth/truth.js';
import { createDraws } from '../clock/draws.js';
import type { CloudFaults } from '../cloud/cloud-faults.js';
import { FakeCloud, loadBalancerName } from '../cloud/fake-cloud.js';
import { MEASURED_DELAYS } from '../kubelets/delays.js';
import { EtcdMembers } from '../machines/etcd-members.js';
import { SimulatedMachines } from '../machines/simulated-machines.js';
import { ProcessTimers } from '../managers/process-timers.js';
import type {
  CloudCall,
  EtcdMemberView,
  MachineOrderRequest,
  ObjectStore,
  SimulatedCluster,
  SimulatedNode,
  Truth,
} from '../model.js';
import type { ControlPlaneMachine, MachineSpec } from '../nodes/control-plane-machine.js';
import { AUTHORITY_FILE } from '../nodes/node-settings.js';
import { WorkerMachine, type WorkerSpec } from '../nodes/worker-machine.js';
import { expireEvents } from '../store/event-expiry.js';
import { createObjectStore } from '../store/object-store.js';
import { DaemonSets } from '../workloads/daemon-sets.js';
import { baseFiles, firstAuthority, kubeletFlags, planFiles } from './base-files.js';
import type { ClusterSpec, CompleteSpec } from './cluster-spec.js';
import type { ClusterEnvironment } from './cluster-environment.js';
import { completeSpec } from './complete-spec.js';
import { layFirstDay, layWorkers } from './first-day.js';

/** A complete simulated cluster. It starts at once; its managers are up within seconds of simulated time. */
export function createCluster(spec: ClusterSpec): SimulatedCluster {
  return new Cluster(completeSpec(spec), spec);
}

class Cluster implements SimulatedCluster {
  readonly id: string;
  readonly uid: string;
  readonly clock: ProcessTimers;
  readonly store: ObjectStore;
  readonly apiServerVersion: string;
  readonly machines: SimulatedMachines;
  private readonly environment: ClusterEnvironment;
  private readonly workerKubelet: Omit<WorkerSpec, 'name' | 'authorityPem'>;
  private readonly etcdMembers: EtcdMembers | null;
  private readonly workers = new Map<string, WorkerMachine>();

  constructor(spec: CompleteSpec, { kubeletDelays }: ClusterSpec) {
    this.id = spec.id;
    this.apiServerVersion = `v${spec.apiServerVersion}`;
    this.environment = createEnvironment(spec, kubeletDelays);
    this.clock = this.environment.clock;
    const { kubelet, cloudProvider } = spec;
    this.workerKubelet = { flags: kubeletFlags(kubelet, cloudProvider), cloudProvider };
    this.store = this.environment.store;
    this.etcdMembers =
      spec.etcd === 'stacked' ? new EtcdMembers((name) => runsMember(this.machine(name))) : null;
    this.machines = new SimulatedMachines({
      environment: this.environment,
      etcd: this.etcdMembers,
      etcdMemberRemoval: spec.etcdMemberRemoval,
      prepare: (request) => orderedMachine(spec, request, this.environment.authority.pem),
      broken: new Set(spec.brokenMachines),
    });
    expireEvents(this.store, this.clock);
    layFirstDay(this.environment, spec);
    spec.plans.forEach((_, index) => {
      this.adopt(spec, index);
    });
    layWorkers(this.environment, spec);
    new DaemonSets(this.environment).watch();
    const namespace = this.store.get({ resource: 'namespaces', name: 'kube-system' });
    this.uid = namespace.ok ? namespace.object.metadata.uid : '';
  }

  nodes(): readonly ControlPlaneMachine[] {
    return this.machines.machines();
  }

  node(name: string): SimulatedNode | undefined {
    if (this.machines.isDeleted(name)) return undefined;
    return this.machine(name) ?? this.worker(name);
  }

  trust(authorityPem: string): void {
    this.environment.authority.pem = authorityPem;
    const machines = [...this.nodes(), ...this.workers.values()];
    for (const { files } of machines) files.write(AUTHORITY_FILE, authorityPem);
  }

  etcd(): readonly EtcdMemberView[] | null {
    return this.etcdMembers?.list() ?? null;
  }

  crashProcess(node: string, manager: Manager): boolean {
    const found = this.machine(node)?.find(manager);
    return found?.run.kill(found.process.pid) ?? false;
  }

  pauseProcess(node: string, manager: Manager): boolean {
    const found = this.machine(node)?.find(manager);
    return found?.run.pause(found.process.pid) ?? false;
  }

  resumeProcess(node: string, manager: Manager): boolean {
    const found = this.machine(node)?.find(manager);
    return found?.run.resume(found.process.pid) ?? false;
  }

  crashNode(node: string): boolean {
    return this.machine(node)?.crash() ?? false;
  }

  partitionNode(node: string): boolean {
    return this.machine(node)?.partition() ?? false;
  }

  healNode(node: string): boolean {
    return this.machine(node)?.heal() ?? false;
  }

  deleteCloudLoadBalancer(service: string): boolean {
    const balancer = this.balancerOf(service);
    return balancer !== null && this.environment.cloud.loadBalancers.delete(balancer);
  }

  emptyCloudLoadBalancer(service: string): boolean {
    const balancer = this.balancerOf(service);
    return balancer !== null && this.environment.cloud.setBackends(balancer, []);
  }

  cloudLoadBalancers(): readonly ServedBalancer[] {
    return this.environment.cloud.listLoadBalancers();
  }

  private balancerOf(service: string): string | null {
    const [namespace = '', name = ''] = service.includes('/')
      ? service.split('/')
      : ['default', service];
    const answer = this.store.get({ resource: 'services', namespace, name });
    return answer.ok ? loadBalancerName(answer.object.metadata.uid) : null;
  }

  truth(): Truth {
    const nowMs = this.clock.nowMs();
    const { ownership, cloud } = this.environment;
    return {
      nowMs,
      controllers: ofEachOwned((controller) => ownership[controller].truth(nowMs)),
      cloudCalls: cloud.journal.length,
    };
  }

  get cloudFaults(): CloudFaults {
    return this.environment.cloud.faults;
  }

  hangingCloudCalls(): number {
    return this.environment.cloud.hangingCalls;
  }

  cloudJournal(): readonly CloudCall[] {
    return this.environment.cloud.journal;
  }

  stop(): void {
    this.clock.end();
  }

  /** Created on first use: a thousand workers cost nothing until something accesses them. */
  private worker(name: string): WorkerMachine | undefined {
    const known = this.workers.get(name);
    if (known !== undefined || !this.store.get({ resource: 'nodes', name }).ok) return known;
    const worker = new WorkerMachine(this.environment, {
      ...{ name, authorityPem: this.environment.authority.pem },
      ...this.workerKubelet,
    });
    this.workers.set(name, worker);
    return worker;
  }

  private machine(name: string): ControlPlaneMachine | undefined {
    return this.nodes().find((machine) => machine.name === name);
  }

  private adopt(spec: CompleteSpec, index: number): void {
    const plan = spec.plans[index];
    if (plan === undefined) return;
    const name = `cp-${String(index + 1)}`;
    const isTarget = plan.kcm?.cloudProvider === 'external';
    const { kubelet, kubeletVersion: version } = plan;
    const { pem } = this.environment.authority;
    const machine = this.machines.adopt(
      isTarget ? 'target' : 'source',
      machineSpec(spec, { name, kubelet, version }, pem),
    );
    for (const manager of ['kcm', 'ccm'] as const) {
      const files = planFiles(plan, manager);
      const write = (): void => {
        for (const [path, content] of files) machine.files.write(path, content);
      };
      const afterMs = plan.afterMs?.[manager];
      if (afterMs === undefined) write();
      else this.clock.schedule(afterMs, write);
    }
    this.environment.cloud.routes.set(name, machine.podCidr);
  }
}

function createEnvironment(
  spec: CompleteSpec,
  delays: ClusterSpec['kubeletDelays'],
): ClusterEnvironment {
  const draws = createDraws(`${String(spec.seed)}/${spec.id}`);
  const clock = new ProcessTimers(spec.clock);
  return {
    ...{ clock, draws },
    store: createObjectStore({ clock, draws: draws.fork('store') }),
    cloud: new FakeCloud({
      cluster: spec.id,
      nowMs: () => clock.nowMs(),
      draws: draws.fork('cloud'),
    }),
    ownership: ofEachOwned(() => new OwnershipLog()),
    delays: { ...MEASURED_DELAYS, ...delays },
    mainLoops: { count: 0 },
    numbers: { next: 0 },
    authority: { pem: firstAuthority(spec.id) },
  };
}

/** A member runs while its machine does, and as long as the kubelet finds its manifest. */
function runsMember(machine: ControlPlaneMachine | undefined): boolean {
  return machine?.reachable === true && machine.files.read(ETCD_MANIFEST) !== undefined;
}

/** A machine ordered through the machines API: the cluster's PKI and API server, overlaid with the given files. */
function orderedMachine(
  spec: CompleteSpec,
  request: MachineOrderRequest,
  authorityPem: string,
): MachineSpec {
  const { name, version } = request;
  const kubelet = request.side === 'target' ? 'external' : spec.kubelet;
  const machine = machineSpec(spec, { name, kubelet, version }, authorityPem);
  return { ...machine, files: { ...machine.files, ...request.files } };
}

function machineSpec(
  spec: CompleteSpec,
  node: Parameters<typeof baseFiles>[1] & { readonly version: string },
  authorityPem: string,
): MachineSpec {
  const { name, version: kubeletVersion } = node;
  const osHostname = spec.hostnames === 'same' ? name : `ip-${name}.internal`;
  const files = baseFiles(spec, node, authorityPem);
  return { name, osHostname, kubeletVersion, cloudProvider: spec.cloudProvider, files };
}
