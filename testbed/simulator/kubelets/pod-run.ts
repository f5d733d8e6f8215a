import type { SimulatedManager } from '../managers/simulated-manager.js';
import type { Cancel } from '../model.js';
import { versionOfImage, type Launch } from '../managers/launch.js';
import { BACK_OFF } from './delays.js';
import type { NodeRuntime } from './node-runtime.js';
import type { ContainerTemplate, PodTemplate } from './pod-template.js';
import { hasVolumes, readContainerFile, type VolumeSources } from './pod-volumes.js';

/** State of a container, as its pod's status reports it. */
export interface ContainerRun {
  readonly container: ContainerTemplate;
  readonly phase: 'running' | 'waiting';
  readonly reason: string;
  readonly startedAtMs: number;
  readonly restartCount: number;
  readonly lastExit: {
    readonly code: number;
    readonly atMs: number;
    readonly reason: string;
  } | null;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };
interface Slot extends Mutable<ContainerRun> {
  process: SimulatedManager | null;
  backOffMs: number;
  wait: Cancel | null;
}

export interface PodRunOptions {
  readonly template: PodTemplate;
  /** Name of the pod object; without hostNetwork also the container's hostname. */
  readonly podName: string;
  readonly runtime: NodeRuntime;
  readonly onStatus: () => void;
}

/** One pod's containers on one node, restarted on exit until the pod is stopped. */
export class PodRun {
  readonly template: PodTemplate;
  startedAtMs: number;
  private readonly options: PodRunOptions;
  private readonly slots: readonly Slot[];
  private stopped = false;

  constructor(options: PodRunOptions) {
    this.options = options;
    this.template = options.template;
    this.startedAtMs = options.runtime.timers.nowMs();
    this.slots = options.template.containers.map((container) => ({
      container,
      phase: 'waiting',
      reason: 'ContainerCreating',
      startedAtMs: this.startedAtMs,
      restartCount: 0,
      lastExit: null,
      process: null,
      backOffMs: 0,
      wait: null,
    }));
  }

  get states(): readonly ContainerRun[] {
    return this.slots;
  }

  get processes(): readonly SimulatedManager[] {
    return this.slots.flatMap(({ process }) => (process === null ? [] : [process]));
  }

  readonly start = (): void => {
    if (this.stopped) return;
    const { runtime, template, onStatus } = this.options;
    if (hasVolumes(template, this.sources())) {
      for (const slot of this.slots) this.run(slot);
    } else {
      for (const slot of this.slots) slot.reason = 'ContainerCreating';
      runtime.timers.schedule(runtime.draws.between(...runtime.delays.volumeRetry), this.start);
    }
    onStatus();
  };

  /** All processes have ended when this returns. */
  stop(): void {
    this.stopped = true;
    for (const slot of this.slots) {
      slot.wait?.();
      slot.process?.die();
      slot.process = null;
    }
  }

  /** Kills one process with SIGKILL; the kubelet restarts its container. */
  kill(pid: number): boolean {
    const slot = this.slotOf(pid);
    if (slot === undefined) return false;
    slot.process?.die();
    this.afterExit(slot, 137, 'Error');
    return true;
  }

  /** Stops a process with SIGSTOP; a liveness probe kills it after a while. */
  pause(pid: number): boolean {
    const slot = this.slotOf(pid);
    if (slot?.process?.paused !== false) return false;
    slot.process.pause();
    const { livenessMs } = slot.container;
    if (livenessMs !== null) {
      slot.wait = this.options.runtime.timers.schedule(livenessMs, () => this.kill(pid));
    }
    return true;
  }

  resume(pid: number): boolean {
    const slot = this.slotOf(pid);
    if (slot?.process?.paused !== true) return false;
    slot.wait?.();
    slot.wait = null;
    slot.process.resume();
    return true;
  }

  private slotOf(pid: number): Slot | undefined {
    return this.slots.find((each) => each.process?.pid === pid);
  }

  private run(slot: Slot): void {
    const { container } = slot;
    if (this.stopped) return;
    if (container.manager !== undefined && versionOfImage(container.image) === undefined) {
      Object.assign(slot, { phase: 'waiting', reason: 'ErrImagePull' });
      return;
    }
    slot.phase = 'running';
    slot.reason = '';
    slot.startedAtMs = this.options.runtime.timers.nowMs();
    if (container.manager === undefined) return;
    slot.process = this.options.runtime.spawn(
      this.launch(container, container.manager),
      (code, reason) => {
        this.afterExit(slot, code, reason);
      },
    );
  }

  private launch(container: ContainerTemplate, manager: Launch['manager']): Launch {
    const { template, runtime, podName } = this.options;
    return {
      manager,
      image: container.image,
      arguments: container.command.slice(container.command[0]?.startsWith('-') === true ? 0 : 1),
      hostname: template.hostNetwork ? runtime.osHostname : podName,
      serviceAccount: template.serviceAccount,
      readFile: (path) => readContainerFile(template, container, this.sources(), path),
    };
  }

  private sources(): VolumeSources {
    const { files, store } = this.options.runtime;
    return {
      files,
      configMap: (namespace, name) => {
        const answer = store.get({ resource: 'configmaps', namespace, name });
        return answer.ok ? answer.object : undefined;
      },
    };
  }

  private afterExit(slot: Slot, code: number, reason: string): void {
    const { runtime, onStatus } = this.options;
    const nowMs = runtime.timers.nowMs();
    if (nowMs - slot.startedAtMs > BACK_OFF.forgottenAfterMs) slot.backOffMs = 0;
    const delayMs =
      slot.backOffMs === 0 ? runtime.draws.between(...runtime.delays.firstRestart) : slot.backOffMs;
    slot.backOffMs = Math.min(BACK_OFF.longestMs, Math.max(BACK_OFF.firstMs, slot.backOffMs * 2));
    slot.wait?.();
    slot.process = null;
    slot.phase = 'waiting';
    slot.reason = 'CrashLoopBackOff';
    slot.lastExit = { code, atMs: nowMs, reason };
    slot.wait = runtime.timers.schedule(delayMs, () => {
      slot.wait = null;
      slot.restartCount += 1;
      this.run(slot);
      onStatus();
    });
    onStatus();
  }
}
