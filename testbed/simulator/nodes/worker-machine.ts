import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import { kubeletOf, type KubeletService } from '../kubelets/kubelet-service.js';
import type { HostView, SimulatedNode } from '../model.js';
import { MemoryFileSystem } from './memory-file-system.js';
import { AUTHORITY_FILE, KUBELET_FLAGS_FILE } from './node-settings.js';

export interface WorkerSpec {
  readonly name: string;
  /** Content of the kubelet's flags file. */
  readonly flags: string;
  readonly cloudProvider: string;
  readonly authorityPem: string;
}

/** A worker as far as migrations touch it: its kubelet. An existing Node gets no taint when its kubelet restarts. */
export class WorkerMachine implements SimulatedNode {
  readonly name: string;
  readonly reachable = true;
  readonly files: MemoryFileSystem;
  private readonly kubelet: KubeletService;

  constructor(environment: ClusterEnvironment, spec: WorkerSpec) {
    const { name, flags, cloudProvider, authorityPem } = spec;
    this.name = name;
    const files = { [KUBELET_FLAGS_FILE]: flags, [AUTHORITY_FILE]: authorityPem };
    this.files = new MemoryFileSystem(() => environment.clock.nowMs(), files);
    const { clock, draws } = environment;
    const machine = { name, cloudProvider, files: this.files, isConnected: () => true };
    const boot = { clock, bootTimeMs: 0, draws: draws.fork(`kubelet/${name}`) };
    this.kubelet = kubeletOf(environment, machine, boot);
  }

  host(): HostView {
    const { processes: kubelets } = this.kubelet;
    return { hostname: this.name, bootId: this.name, bootTimeMs: 0, processes: [], kubelets };
  }

  metrics(): null {
    return null;
  }

  elections(): null {
    return null;
  }

  metricsRefusal(): null {
    return null;
  }

  configz(): null {
    return null;
  }

  kill(): boolean {
    return false;
  }

  kubeletState(): string {
    return this.kubelet.state();
  }

  restartKubelet(): void {
    this.kubelet.restart();
  }
}
