import type { Manager } from '../../../domain/vocabulary.js';

/**
 * Records of a lab's process monitor, one JSON line each, as events happen. Times are epoch ms of the machine that
 * all nodes share. `id` identifies one process permanently: its pid on the host with its start in ticks.
 */
export type MonitorLine =
  /** Every known process was checked up to this time. */
  | { readonly kind: 'observing'; readonly atMs: number }
  | ProcessBegan
  /** Alive at `lastSeenMs`, and ended by `atMs`. */
  | {
      readonly kind: 'ended';
      readonly id: string;
      readonly lastSeenMs: number;
      readonly atMs: number;
    }
  /** Stopped (SIGSTOP) by `atMs` at the latest; awake again from `atMs` at the earliest. */
  | { readonly kind: 'paused' | 'woke'; readonly id: string; readonly atMs: number }
  | MetricsSeen
  /** Its metrics were not available then. */
  | {
      readonly kind: 'metricsMissing';
      readonly id: string;
      readonly atMs: number;
      readonly why: string;
    };

export interface ProcessBegan {
  readonly kind: 'began';
  readonly id: string;
  readonly cluster: string;
  readonly node: string;
  readonly manager: Manager;
  readonly pid: number;
  /** Computed from its start ticks; it was first seen at `atMs`. */
  readonly startedAtMs: number;
  readonly atMs: number;
  /** Identified by its program; null when the lab has no such program. */
  readonly version: string | null;
  /** Without the program's name. */
  readonly arguments: readonly string[];
  /** Its Leader Migration file as its container saw it then; null when none is configured or it does not exist. */
  readonly migrationFile: string | null;
}

export interface MetricsSeen {
  readonly kind: 'metrics';
  readonly id: string;
  /** Times of request and response. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Names with `running_managed_controllers` 1: `service`, `route`, `cloud-node-lifecycle`, … */
  readonly running: readonly string[];
  /** Leases with `leader_election_master_status` 1. */
  readonly leads: readonly string[];
}

/** The process monitor's configuration, passed at its start on standard input. */
export interface MonitorOptions {
  readonly lab: number;
  /** Lines are appended here. */
  readonly file: string;
  /** Identify a process's version by the size of its program in each version. */
  readonly programs: readonly {
    readonly manager: Manager;
    readonly version: string;
    readonly bytes: number;
  }[];
  /** A client that may read the metrics of a cluster's managers. */
  readonly clients: Readonly<
    Record<string, { readonly certificatePem: string; readonly privateKeyPem: string }>
  >;
}
