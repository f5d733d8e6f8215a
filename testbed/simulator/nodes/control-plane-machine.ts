import type { Manager } from '../../../domain/vocabulary.js';
import type { ApiRequester } from '../../base/auth/requester.js';
import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import { BoundPods } from '../kubelets/bound-pods.js';
import { kubeletOf, type KubeletService } from '../kubelets/kubelet-service.js';
import { nodeDraft, nodeStatus, setReady, type NodeFacts } from '../kubelets/node-object.js';
import type { NodeRuntime } from '../kubelets/node-runtime.js';
import type { PodRun } from '../kubelets/pod-run.js';
import { StaticPods } from '../kubelets/static-pods.js';
import { configzText } from '../managers/configz.js';
import { SimulatedManager } from '../managers/simulated-manager.js';
import { metricsRefusal } from '../managers/metrics-refusal.js';
import { electionLines, metricsText } from '../managers/metrics-text.js';
import { ProcessTimers } from '../managers/process-timers.js';
import type { HostView, SimulatedNode } from '../model.js';
import { clientFromNode } from './cut-off-client.js';
import { MemoryFileSystem } from './memory-file-system.js';
import { NodeLoss } from './node-loss.js';
import { cloudProviderOf, KUBELET_FLAGS_FILE, podCidr } from './node-settings.js';

const HEARTBEAT_MS = [1000, 10_000] as const;

export interface MachineSpec {
  readonly name: string;
  readonly osHostname: string;
  readonly kubeletVersion: string;
  /** Name of the in-tree provider. */
  readonly cloudProvider: string;
  readonly files: Readonly<Record<string, string>>;
}

interface Running {
  readonly timers: ProcessTimers;
  readonly staticPods: StaticPods;
  readonly boundPods: BoundPods;
  readonly kubelet: KubeletService;
}

/** A control-plane machine: its files survive a crash, its processes do not. */
export class ControlPlaneMachine implements SimulatedNode {
  readonly name: string;
  readonly files: MemoryFileSystem;
  private readonly spec: MachineSpec;
  private readonly environment: ClusterEnvironment;
  private readonly ip: string;
  readonly podCidr: string;
  private readonly reconnected = new Set<() => void>();
  private running: Running | null = null;
  private partitioned = false;
  private bootId = '';
  private bootTimeMs = 0;
  private readonly loss: NodeLoss;
  private nextPid: number;

  constructor(environment: ClusterEnvironment, spec: MachineSpec) {
    this.environment = environment;
    this.spec = spec;
    this.name = spec.name;
    this.loss = new NodeLoss(environment, spec.name);
    environment.numbers.next += 1;
    const { next } = environment.numbers;
    this.ip = `10.77.${String(next >> 8)}.${String(next & 255)}`;
    this.podCidr = podCidr(next);
    this.nextPid = Math.floor(environment.draws.between(700, 3000));
    this.files = new MemoryFileSystem(() => environment.clock.nowMs(), spec.files);
  }

  get reachable(): boolean {
    return this.running !== null && !this.partitioned;
  }

  /** Powers on: kubelet, Node object, pods. */
  boot(): void {
    if (this.running !== null) return;
    const { environment } = this;
    this.bootId = environment.draws.uuid();
    this.bootTimeMs = environment.clock.nowMs();
    const timers = new ProcessTimers(environment.clock);
    const runtime = this.runtime(timers);
    this.register();
    this.loss.end();
    this.running = {
      timers,
      staticPods: new StaticPods(runtime, this.ip),
      boundPods: new BoundPods(runtime, this.ip),
      kubelet: this.kubeletService(timers),
    };
    if (!this.partitioned) this.tellReconnected();
  }

  /** Ends at once, with everything that runs on it. */
  crash(): boolean {
    if (this.running === null) return false;
    const { timers, staticPods, boundPods } = this.running;
    this.running = null;
    staticPods.forget();
    boundPods.forget();
    timers.end();
    this.reconnected.clear();
    this.loss.begin();
    return true;
  }

  /** Deleted at the provider: it never comes back, so its Node is no longer tracked as lost. */
  vanish(): void {
    this.crash();
    this.loss.end();
  }

  partition(): boolean {
    if (this.running === null || this.partitioned) return false;
    this.partitioned = true;
    this.loss.begin();
    return true;
  }

  heal(): boolean {
    if (this.running !== null && !this.partitioned) return false;
    this.partitioned = false;
    if (this.running === null) this.boot();
    else this.tellReconnected();
    return true;
  }

  host(): HostView {
    const processes = this.processes().map(({ process }) => ({
      pid: process.pid,
      manager: process.manager,
      startTicks: Math.floor((process.startedAtMs - this.bootTimeMs) / 10),
      startedAtMs: process.startedAtMs,
      arguments: process.launch.arguments,
      paused: process.paused,
    }));
    const { bootId, bootTimeMs, running } = this;
    const kubelets = running?.kubelet.processes ?? [];
    return { hostname: this.spec.osHostname, bootId, bootTimeMs, processes, kubelets };
  }

  metrics(manager: Manager): string | null {
    const process = this.listening(manager);
    return process === null ? null : metricsText(process, this.environment.clock.nowMs());
  }

  elections(manager: Manager): string | null {
    const process = this.listening(manager);
    return process === null ? null : electionLines(process);
  }

  metricsRefusal(manager: Manager): string | null {
    const user = this.find(manager)?.process.settings?.user;
    const { store } = this.environment;
    return user === undefined ? null : metricsRefusal(user, (one) => store.authorize(one));
  }

  configz(manager: Manager): string | null {
    const process = this.listening(manager);
    return process === null ? null : configzText(process);
  }

  kill(pid: number): boolean {
    const found = this.processes().find(({ process }) => process.pid === pid);
    return found?.run.kill(pid) ?? false;
  }

  kubeletState(): string {
    return this.running?.kubelet.state() ?? 'inactive (dead)';
  }

  restartKubelet(): void {
    this.running?.kubelet.restart();
  }

  /** The newest process of a manager, for events that target one. */
  find(manager: Manager): { readonly process: SimulatedManager; readonly run: PodRun } | undefined {
    return this.processes().findLast(({ process }) => process.manager === manager);
  }

  /** The process that answers on the manager's port: a paused one does not. */
  private listening(manager: Manager): SimulatedManager | null {
    const process = this.find(manager)?.process;
    return process === undefined || process.paused ? null : process;
  }

  private processes(): readonly { readonly process: SimulatedManager; readonly run: PodRun }[] {
    if (this.running === null) return [];
    const { staticPods, boundPods } = this.running;
    return [...staticPods.runs, ...boundPods.runs].flatMap((run) =>
      run.processes.map((process) => ({ process, run })),
    );
  }

  private kubeletService(clock: ProcessTimers): KubeletService {
    const { environment, spec, files, bootTimeMs, bootId } = this;
    const boot = {
      clock,
      bootTimeMs,
      draws: environment.draws.fork(`kubelet/${spec.name}/${bootId}`),
    };
    return kubeletOf(environment, { ...spec, files, isConnected: () => this.reachable }, boot);
  }

  private runtime(timers: ProcessTimers): NodeRuntime {
    const { environment, spec, files } = this;
    const connected = (): boolean => this.running?.timers === timers && !this.partitioned;
    const onReconnect = (listener: () => void): (() => void) => {
      this.reconnected.add(listener);
      return () => this.reconnected.delete(listener);
    };
    const onChange: NodeRuntime['onChange'] = (resource, listener) =>
      environment.store.onChange(resource, (event) => {
        if (connected()) listener(event);
      });
    return {
      ...{ node: spec.name, osHostname: spec.osHostname, files, timers, connected },
      ...{ onReconnect, onChange },
      ...{ draws: environment.draws, delays: environment.delays, store: environment.store },
      spawn: (launch, onExit) => {
        this.nextPid += 1 + Math.floor(environment.draws.between(0, 40));
        const pid = this.nextPid;
        const draws = environment.draws.fork(`${spec.name}/${String(pid)}`);
        const context = {
          ...{ clock: timers, draws, node: spec.name, cloud: environment.cloud },
          ...{ onChange, onReconnect },
          ownership: environment.ownership,
          clientFor: ({ user, groups }: ApiRequester) =>
            clientFromNode(environment.store.asUser(user, groups), connected),
          onMainLoops: (change: 1 | -1) => {
            environment.mainLoops.count += change;
          },
        };
        return new SimulatedManager({ launch, pid, context, onExit });
      },
    };
  }

  /** An existing Node keeps its taints and providerID; only its status is rewritten. */
  private register(): void {
    const { store, clock } = this.environment;
    const facts = this.facts();
    const existing = store.get({ resource: 'nodes', name: this.name });
    if (!existing.ok) store.create('nodes', nodeDraft(facts, clock.nowMs()));
    else {
      const status = nodeStatus(facts, 'True', clock.nowMs());
      store.update('nodes', { ...existing.object, status }, { subresource: 'status' });
    }
  }

  private facts(): NodeFacts {
    const { ip, podCidr, bootId } = this;
    const { name, osHostname, kubeletVersion } = this.spec;
    return {
      ...{ name, osHostname, kubeletVersion, ip, podCidr, bootId },
      cloudProvider: cloudProviderOf(this.files.read(KUBELET_FLAGS_FILE)?.content ?? ''),
      role: 'control-plane',
    };
  }

  private tellReconnected(): void {
    const { store, draws, clock } = this.environment;
    this.loss.end();
    clock.schedule(draws.between(...HEARTBEAT_MS), () => {
      if (this.reachable) setReady(store, this.name, 'True', clock.nowMs());
    });
    for (const listener of [...this.reconnected]) listener();
  }
}
