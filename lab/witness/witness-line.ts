import type { Manager } from '../../domain/vocabulary.js';

/**
 * What the witness of a lab writes down, one JSON line each, as it happens. Times are epoch ms of the machine that all
 * nodes share. `id` names one process for ever: its number on the host with its start in ticks.
 */
export type WitnessLine =
  /** It looked at every known process until then. */
  | { readonly kind: 'looking'; readonly atMs: number }
  | ProcessBegan
  /** Alive at `lastSeenMs`, and no longer at `atMs`. */
  | {
      readonly kind: 'ended';
      readonly id: string;
      readonly lastSeenMs: number;
      readonly atMs: number;
    }
  /** Stopped (SIGSTOP) since `atMs` at the latest; awake again since `atMs` at the earliest. */
  | { readonly kind: 'paused' | 'woke'; readonly id: string; readonly atMs: number }
  | MetricsSeen
  /** Its metrics could not be had then. */
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
  /** By its start ticks; it was noticed at `atMs`. */
  readonly startedAtMs: number;
  readonly atMs: number;
  /** Told by its program; null when the lab has no such program. */
  readonly version: string | null;
  /** Without the program's name. */
  readonly arguments: readonly string[];
  /** Content of its Leader Migration file as its container showed it then; null when none is named or it is not there. */
  readonly migrationFile: string | null;
}

export interface MetricsSeen {
  readonly kind: 'metrics';
  readonly id: string;
  /** Asked and answered. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Names with `running_managed_controllers` 1: `service`, `route`, `cloud-node-lifecycle`, … */
  readonly running: readonly string[];
  /** Leases with `leader_election_master_status` 1. */
  readonly leads: readonly string[];
}

/** What the witness is told at its start, on its standard input. */
export interface WitnessOrder {
  readonly lab: number;
  /** Lines are appended here. */
  readonly file: string;
  /** By which a process's version is told: sizes of the programs of each version. */
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
