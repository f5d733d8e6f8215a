import type { AccessPolicy, AccessSubject } from '../domain/authority/access-policy.js';
import type { GateVerdict } from '../domain/gates/verdicts.js';
import type { ClusterRef } from './contract.js';
import type { EvidenceStore, RunKey } from './evidence/evidence-store.js';
import { onAbort } from './on-abort.js';
import type { ClusterPorts } from './ports.js';

/** The worker's clock. Tests and accelerated simulators provide their own. */
export interface ActivityClock {
  /** Epoch milliseconds. */
  nowMs(): number;
  /** Rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export interface ActivityLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Context of one running activity; the worker fills it from Temporal's context, tests by hand. */
export interface ActivityScope {
  /** Aborted when the activity is cancelled or its worker shuts down. */
  readonly signal: AbortSignal;
  /** Progress: proves that the attempt is alive, and is passed to the next attempt. */
  heartbeat(details: unknown): void;
  /** Details of the last heartbeat of the previous attempt; undefined on the first. */
  readonly lastHeartbeat: unknown;
  /** An attempt before this one may have written. */
  readonly isRetry?: boolean;
  /** What has the activity done; null where no workflow does. Absent outside a worker. */
  readonly askedBy?: AskingRun | null;
}

/** The execution of a workflow that has an activity done. */
export interface AskingRun extends RunKey {
  /** Id of the first run of its chain, by which a run is known when it has continued as another. @throws `Unavailable` */
  firstRun(): Promise<string>;
}

/** One activity's view of a cluster. */
export interface ClusterConnection extends ClusterPorts {
  /** Requests sent through this view so far, retries included. */
  requests(): number;
  /** Called once, when the activity ends; what views share stays for the next ones until the worker exits. */
  close(): Promise<void>;
}

/** Everything activities need from outside. Nothing in here depends on Temporal. */
export interface ActivityDependencies {
  /** Connects to the cluster of that name. `requireCluster` checks that it is the planned one. */
  connect(cluster: ClusterRef): Promise<ClusterConnection>;
  readonly evidence: EvidenceStore;
  /** Digest of the code that decides here (`codeDigest`): each decision carries it. */
  readonly build: string;
  readonly clock: ActivityClock;
  readonly log: ActivityLog;
  /** Called once at the start of each activity. */
  readonly scope: () => ActivityScope;
  /** Who may do what; absent where this worker obeys everyone who reaches its Temporal namespace. */
  readonly authority?: Authority;
  /**
   * Signals the run's workflow what the guard found. The breach is already recorded in the fence, so a lost message is
   * harmless.
   */
  announceBreach?(breaches: readonly GateVerdict[]): Promise<void>;
  /** Milliseconds between two completed observations of a guard while writes may come. */
  recordGuardGap?(gapMs: number): void;
}

/** The access policy as it is now, and what it says clusters by. */
export interface Authority {
  /** @throws `Unavailable` where it cannot be read: nothing is allowed then. */
  policy(): Promise<AccessPolicy>;
  cluster(cluster: ClusterRef): Promise<NonNullable<AccessSubject['cluster']>>;
}

/** A scope for callers outside a worker: never cancelled, heartbeats go nowhere. */
export function quietScope(signal: AbortSignal = new AbortController().signal): ActivityScope {
  return { signal, heartbeat: () => undefined, lastHeartbeat: undefined };
}

/** The real clock, with a sleep that ends early when the signal is aborted. */
export const realClock: ActivityClock = {
  nowMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted === true) {
        reject(reasonOf(signal));
        return;
      }
      const timer = setTimeout(() => {
        leave?.();
        resolve();
      }, ms);
      const leave =
        signal === undefined
          ? undefined
          : onAbort(signal, () => {
              clearTimeout(timer);
              reject(reasonOf(signal));
            });
    }),
};

function reasonOf(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('cancelled');
}
