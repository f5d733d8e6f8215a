import type { ClusterEnvironment } from '../cluster/cluster-environment.js';
import type { Draws, FileSystem, SimulatedKubelet } from '../model.js';
import type { ProcessClock } from '../loops/loop-context.js';
import { KUBELET_FLAGS_FILE, valueOfCloudProvider } from '../nodes/node-settings.js';
import { UNIT_RESTART_MS, type KubeletDelays } from './delays.js';
import { setReady } from './node-object.js';

/** The machine that a kubelet is installed on. */
export interface KubeletMachine {
  readonly name: string;
  readonly files: FileSystem;
  /** Name of the provider compiled into it. */
  readonly cloudProvider: string;
  /** Whether it can reach an API server. */
  readonly isConnected: () => boolean;
}

/** One boot of that machine. */
export interface KubeletBoot {
  readonly clock: ProcessClock;
  readonly bootTimeMs: number;
  /** Its own stream, so that a restart changes no other delay in the cluster. */
  readonly draws: Draws;
}

interface KubeletServiceOptions extends KubeletMachine, KubeletBoot {
  readonly delays: KubeletDelays;
  /** Called when a new kubelet would write its Node's status. */
  readonly onStatus: () => void;
}

export function kubeletOf(
  { store, clock, delays }: ClusterEnvironment,
  machine: KubeletMachine,
  boot: KubeletBoot,
): KubeletService {
  const onStatus = (): void => {
    if (machine.isConnected()) setReady(store, machine.name, 'True', clock.nowMs());
  };
  return new KubeletService({ ...machine, ...boot, delays, onStatus });
}

/** Where kubeadm's unit gets its other arguments. */
const FIXED = [
  '--kubeconfig=/etc/kubernetes/kubelet.conf',
  '--config=/var/lib/kubelet/config.yaml',
];

/**
 * The kubelet's process and its systemd unit. The kubelet reads its flags only at its start; with an unknown provider
 * it exits (cmd/kubelet/app/server.go), and its unit restarts it.
 */
export class KubeletService {
  private readonly options: KubeletServiceOptions;
  private running: SimulatedKubelet | null = null;
  private holdReason: 'none' | 'exits' = 'none';
  /** Counts requested starts, so that a superseded request starts nothing. */
  private orders = 0;
  private nextPid: number;

  constructor(options: KubeletServiceOptions) {
    this.options = options;
    this.nextPid = Math.floor(options.draws.between(300, 700));
    this.start(options.bootTimeMs);
  }

  get processes(): readonly SimulatedKubelet[] {
    return this.running === null ? [] : [this.running];
  }

  state(): string {
    if (this.running !== null) return 'active (running)';
    return this.holdReason === 'exits'
      ? 'activating (auto-restart), exit-code'
      : 'activating (start)';
  }

  restart(): void {
    const { draws, delays } = this.options;
    this.running = null;
    this.holdReason = 'none';
    this.later(draws.between(...delays.restart));
  }

  private later(delayMs: number): void {
    const { clock, draws, delays, onStatus } = this.options;
    this.orders += 1;
    const order = this.orders;
    clock.schedule(delayMs, () => {
      if (order !== this.orders) return;
      if (!this.start(clock.nowMs())) {
        this.later(UNIT_RESTART_MS);
        return;
      }
      clock.schedule(draws.between(...delays.nodeStatus), () => {
        if (order === this.orders) onStatus();
      });
    });
  }

  /** False when it exits at once. */
  private start(nowMs: number): boolean {
    const { bootTimeMs, cloudProvider, draws } = this.options;
    const flags = this.flags();
    const known = ['', 'external', cloudProvider].includes(valueOfCloudProvider(flags));
    this.holdReason = known ? 'none' : 'exits';
    if (!known) return false;
    this.nextPid += 1 + Math.floor(draws.between(0, 40));
    const words = /^KUBELET_KUBEADM_ARGS="([^"]*)"/m.exec(flags)?.[1] ?? '';
    this.running = {
      pid: this.nextPid,
      startTicks: Math.floor((nowMs - bootTimeMs) / 10),
      startedAtMs: nowMs,
      arguments: [...FIXED, ...words.split(/\s+/).filter((word) => word !== '')],
    };
    return true;
  }

  private flags(): string {
    return this.options.files.read(KUBELET_FLAGS_FILE)?.content ?? '';
  }
}
