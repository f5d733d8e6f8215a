import { readdirSync } from 'node:fs';
import type { Manager } from '../../../domain/vocabulary.js';
import { statOf } from '../../../devserver/process-identity.js';
import { networkOf, programOf } from '../host/proc-files.js';
import { nodeNetworks, type NodeNetwork } from './node-networks.js';
import { describeProcess, MANAGER_OF_PROGRAM } from './watched-process.js';
import type { MonitorLine, MonitorOptions } from './monitor-line.js';

/** A living process of a manager. */
export interface Watched {
  readonly id: string;
  readonly pid: number;
  readonly startTicks: number;
  readonly manager: Manager;
  readonly cluster: string;
  readonly networkNamespace: string;
  readonly startedAtMs: number;
  lastSeenMs: number;
  paused: boolean;
}

/** The managers' processes of a lab: which are alive, which ended since the last check, which are stopped. */
export class ProcessWatch {
  private readonly order: Pick<MonitorOptions, 'lab' | 'programs'>;
  private readonly say: (line: MonitorLine) => void;
  private readonly known = new Map<number, Watched>();

  constructor(order: Pick<MonitorOptions, 'lab' | 'programs'>, say: (line: MonitorLine) => void) {
    this.order = order;
    this.say = say;
  }

  living(): readonly Watched[] {
    return [...this.known.values()];
  }

  /** Checks the known processes. Cheap, because an end must be seen soon. */
  observeAgain(): void {
    for (const watched of this.known.values()) {
      const stat = statOf(watched.pid);
      const atMs = Date.now();
      if (stat === null || stat.state === 'Z' || stat.startTicks !== watched.startTicks) {
        this.known.delete(watched.pid);
        const { id, lastSeenMs } = watched;
        this.say({ kind: 'ended', id, lastSeenMs, atMs });
        continue;
      }
      const paused = stat.state === 'T';
      if (paused !== watched.paused) {
        watched.paused = paused;
        const { id, lastSeenMs } = watched;
        // The wider bounds: it was stopped by now at the latest, and may have been awake since the previous check.
        this.say(paused ? { kind: 'paused', id, atMs } : { kind: 'woke', id, atMs: lastSeenMs });
      }
      watched.lastSeenMs = atMs;
    }
  }

  /** Searches for new processes. A start need not be seen at once: the kernel records its time. */
  observeAround(): void {
    const networks = nodeNetworks(this.order.lab);
    if (networks.size === 0) return;
    for (const name of readdirSync('/proc')) {
      const pid = Number(name);
      if (!Number.isInteger(pid) || this.known.has(pid)) continue;
      const manager = MANAGER_OF_PROGRAM[programOf(pid)];
      if (manager !== undefined) this.meet(pid, manager, networks.get(networkOf(pid) ?? -1));
    }
  }

  /** A manager's process seen for the first time, on a node of this lab or of another. */
  private meet(pid: number, manager: Manager, place: NodeNetwork | undefined): void {
    const stat = statOf(pid);
    if (place === undefined || stat === null) return;
    const began = describeProcess(pid, manager, place, stat, this.order.programs);
    const { id, cluster, startedAtMs, atMs } = began;
    const { networkNamespace } = place;
    this.known.set(pid, {
      ...{ id, pid, manager, cluster, networkNamespace, startedAtMs },
      startTicks: stat.startTicks,
      lastSeenMs: atMs,
      paused: false,
    });
    this.say(began);
  }
}
