import type { FakeCloud } from '../cloud/fake-cloud.js';
import type { CommandLine } from '../managers/command-line.js';
import type { ProcessMetrics } from '../metrics/process-metrics.js';
import type { WorkQueue, WorkQueueOptions } from '../metrics/work-queue.js';
import type { Cancel, Draws, ObjectClient, StoredObject } from '../model.js';

/** Timers of one process: they stop while it is paused and end with it. */
export interface ProcessClock {
  nowMs(): number;
  schedule(delayMs: number, run: () => void): Cancel;
}

/** What a running loop may use of its process and its context. */
export interface LoopContext {
  readonly timers: ProcessClock;
  readonly draws: Draws;
  readonly flags: CommandLine;
  /** Kubernetes minor of the manager, or of a CCM's library. */
  readonly minor: number;
  /** Acts as the loop's own user (its ServiceAccount with `--use-service-account-credentials`). */
  readonly client: ObjectClient;
  /** Existing objects of a resource and then their changes, after a watch's short delay. */
  readonly watch: (resource: string, onObject: (change: SeenObject) => void) => void;
  readonly cloud: FakeCloud;
  /** Calls the cloud. Without a fault the effect is immediate and the end comes after the time that the call takes. */
  readonly call: (op: string, args: string, call: LoopCall) => void;
  readonly metrics: ProcessMetrics;
  /** A queue whose metrics carry this name. */
  readonly queue: (name: string, options: Omit<WorkQueueOptions, 'timers'>) => WorkQueue;
  /** Records an Event about an object as the loop's user. */
  readonly tell: (about: EventSubject, event: ToldEvent) => void;
}

export interface LoopCall {
  /** What the call does to the cloud, unless it fails. */
  readonly effect?: () => void;
  /** Null, or the cloud's error. Never called in a process that has ended, nor while the call hangs. */
  readonly ended: (error: string | null) => void;
}

export interface EventSubject {
  readonly apiVersion?: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly uid: string };
}

export interface ToldEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface SeenObject {
  readonly object: StoredObject;
  /** Null when the object is observed for the first time. */
  readonly previous: StoredObject | null;
  readonly gone: boolean;
}

/** Starts a loop, which runs until its process ends. */
export type Loop = (context: LoopContext) => void;
