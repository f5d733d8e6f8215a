import type { FakeCloud } from '../cloud/fake-cloud.js';
import type { CommandLine } from '../managers/command-line.js';
import type { Cancel, CloudCall, Draws, ObjectClient, StoredObject } from '../model.js';

/** Timers of one process: they stand still while it is paused and end with it. */
export interface ProcessClock {
  nowMs(): number;
  schedule(delayMs: number, run: () => void): Cancel;
}

/** What a running loop may use of its process and its surroundings. */
export interface LoopContext {
  readonly timers: ProcessClock;
  readonly draws: Draws;
  readonly flags: CommandLine;
  /** As the loop's own user (its ServiceAccount with `--use-service-account-credentials`). */
  readonly client: ObjectClient;
  /** Objects of a resource as they are and as they change, after a watch's short delay. */
  readonly watch: (resource: string, onObject: (change: Seen) => void) => void;
  readonly cloud: FakeCloud;
  /** Journals a call to the cloud and answers how long it takes, milliseconds. */
  readonly call: (op: string, args: string) => number;
  readonly count: (metric: LoopMetric) => void;
  readonly log: (message: string) => void;
}

export interface Seen {
  readonly object: StoredObject;
  /** Null when the object is seen for the first time. */
  readonly previous: StoredObject | null;
  readonly gone: boolean;
}

export type LoopMetric = 'loadBalancerSync' | 'nodeSyncError' | 'nodeInitialized' | 'routeSync';

export interface Loop {
  readonly name: CloudCall['controller'];
  /** Begins; it runs until its process ends. */
  start(context: LoopContext): void;
}
