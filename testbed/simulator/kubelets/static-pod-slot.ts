import type { Cancel } from '../model.js';
import { MirrorPod } from './mirror-pod.js';
import type { NodeRuntime } from './node-runtime.js';
import { PodRun } from './pod-run.js';
import type { PodTemplate } from './pod-template.js';

/** A manifest on disk. */
export interface Manifest {
  readonly template: PodTemplate;
  readonly hash: string;
}

interface Current {
  readonly hash: string;
  readonly run: PodRun;
  readonly mirror: MirrorPod;
}

/**
 * The slot for one static pod's name on one node. Only one pod of a name runs at a time: a successor waits until the
 * old one has ended, and one that arrived before the old mirror pod was gone waits for the kubelet's next sync (12 to
 * 16 s).
 */
export class StaticPodSlot {
  private readonly runtime: NodeRuntime;
  private readonly hostIp: string;
  private wanted: Manifest | null = null;
  private current: Current | null = null;
  private readonly ending = new Set<PodRun>();
  private starting: Cancel | null = null;
  /** While the old pod terminates: when its termination began. */
  private endingSinceMs: number | null = null;

  constructor(runtime: NodeRuntime, hostIp: string) {
    this.runtime = runtime;
    this.hostIp = hostIp;
  }

  /** The pod and, while it terminates, its predecessor: that is still a process on the host. */
  get runs(): readonly PodRun[] {
    return [...this.ending, ...(this.current === null ? [] : [this.current.run])];
  }

  get idle(): boolean {
    return this.wanted === null && this.current === null && this.endingSinceMs === null;
  }

  /** What the manifests folder holds now; null when it has no such pod. */
  want(manifest: Manifest | null): void {
    if (this.wanted?.hash === manifest?.hash) return;
    this.wanted = manifest;
    this.starting?.();
    this.starting = null;
    if (this.current !== null && this.current.hash !== manifest?.hash) this.end(this.current);
    if (manifest !== null && this.current === null) this.begin();
  }

  /** The machine went down. */
  forget(): void {
    for (const run of this.runs) run.stop();
    this.current?.mirror.forget();
  }

  private end(old: Current): void {
    const { timers, draws, delays } = this.runtime;
    const sinceMs = timers.nowMs();
    this.current = null;
    this.endingSinceMs = sinceMs;
    this.ending.add(old.run);
    timers.schedule(draws.between(...delays.stop), () => {
      old.run.stop();
      this.ending.delete(old.run);
    });
    timers.schedule(draws.between(...delays.mirrorGone), () => {
      old.mirror.remove();
      if (this.endingSinceMs === sinceMs) this.endingSinceMs = null;
    });
  }

  private begin(): void {
    const { timers, draws, delays } = this.runtime;
    const { endingSinceMs } = this;
    const dueMs =
      endingSinceMs === null
        ? timers.nowMs() + draws.between(...delays.start)
        : endingSinceMs + draws.between(...delays.replace);
    this.starting = timers.schedule(dueMs - timers.nowMs(), () => {
      this.starting = null;
      if (this.wanted !== null) this.start(this.wanted);
    });
  }

  private start({ template, hash }: Manifest): void {
    const { runtime, hostIp } = this;
    const podName = `${template.name}-${runtime.node}`;
    const onStatus = (): void => {
      mirror.publish();
    };
    const run = new PodRun({ template, podName, runtime, onStatus });
    const mirror = new MirrorPod({ runtime, template, hash, hostIp, run });
    this.current = { hash, run, mirror };
    run.start();
  }
}
