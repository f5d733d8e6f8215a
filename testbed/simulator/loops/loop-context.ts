import type { FakeCloud } from '../cloud/fake-cloud.js';
import type { CommandLine } from '../managers/command-line.js';
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
  /** Acts as the loop's own user (its ServiceAccount with `--use-service-account-credentials`). */
  readonly client: ObjectClient;
  /** Existing objects of a resource and then their changes, after a watch's short delay. */
  readonly watch: (resource: string, onObject: (change: SeenObject) => void) => void;
  readonly cloud: FakeCloud;
  /** Records a call to the cloud and returns how long it takes, milliseconds. */
  readonly call: (op: string, args: string) => number;
  readonly count: (metric: LoopMetric) => void;
}

export interface SeenObject {
  readonly object: StoredObject;
  /** Null when the object is observed for the first time. */
  readonly previous: StoredObject | null;
  readonly gone: boolean;
}

export type LoopMetric = 'loadBalancerSync' | 'nodeSyncError' | 'nodeInitialized' | 'routeSync';

/** Starts a loop, which runs until its process ends. */
export type Loop = (context: LoopContext) => void;
