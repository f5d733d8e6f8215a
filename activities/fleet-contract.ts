import type { Envelope } from '../domain/authority/signed-envelope.js';
import type { FleetCommand } from '../domain/fleet/fleet-command.js';
import type { FleetEvent, StartAnswer } from '../domain/fleet/fleet-events.js';
import type { StartOrder } from '../domain/fleet/fleet-outbox.js';
import type { Opening } from '../domain/fleet/fleet-state.js';
import type { MemberMessage } from '../domain/run/membership.js';
import type { Admission } from './contract.js';
import type { SignedRevision } from './fleet-input.js';

/** The activities of a fleet as its workflow sees them: types only. Every value is plain JSON. */
export interface FleetActivities {
  /**
   * Starts or adopts the runs of clusters, as top-level workflows. Idempotent by fleet run, row and grant: a run whose memo
   * names this grant was started by an earlier attempt, even when it has ended. Reads what a run needs from the first event
   * of the fleet's execution, so that histories stay short.
   */
  startClusters(input: StartClustersInput): Promise<readonly StartedCluster[]>;
  /** Whether a command may be applied: its signature, whose it is, and what the access policy of the worker lets them do. */
  admitCommand(input: AdmitFleetInput): Promise<Admission>;
  /** The same of a new plan. */
  admitRevision(input: AdmitRevisionInput): Promise<Admission>;
  /** Sends orders to open runs, 32 at a time, with its position as heartbeat. A run that has ended is `over`. */
  broadcast(input: BroadcastInput): Promise<readonly Delivery[]>;
  /** Describes runs that have not reported for a while, so that a terminated one counts; asks for pollers of their queues. */
  sweep(input: SweepInput): Promise<SweepReport>;
  /** When waves are open. Computed outside the workflow, because time zone data differ between Node builds. */
  windowOpenings(input: OpeningsInput): Promise<readonly WaveOpenings[]>;
  /** Counts open runs that are not of this fleet, in the groups of its clusters for which it has a cap. Soaking ones change nothing. */
  countOthers(input: OthersInput): Promise<OtherCounts>;
}

export interface FleetRef {
  readonly fleetWorkflowId: string;
  readonly fleetRun: string;
  /**
   * Run id of the execution that asks: its first event holds what activities need. A server may have forgotten the first
   * execution of a long fleet.
   */
  readonly execution: string;
}

export interface StartClustersInput extends FleetRef {
  readonly starts: readonly StartOrder[];
  /** Of the waves of these rows, the approvals before them that were signed. Absent from older builds. */
  readonly approvals?: readonly WaveApprovals[];
  /** When the workflow asked: a run of the cluster that was open since then is never followed by another. */
  readonly askedAtMs: number;
}

export interface WaveApprovals {
  readonly wave: number;
  readonly signed: readonly Envelope[];
}

export interface AdmitFleetInput extends FleetRef {
  readonly command: FleetCommand;
}

export interface AdmitRevisionInput extends FleetRef {
  readonly commandId: string;
  readonly planDigest: string;
  /** Absent where it is not signed. */
  readonly signed?: SignedRevision;
}

export interface StartedCluster {
  readonly row: number;
  readonly grant: number;
  readonly answer: StartAnswer;
  /** Code and words, for a row that was not started: by whom it is busy, what is away. */
  readonly signature: string;
}

export interface BroadcastInput extends FleetRef {
  readonly messages: readonly MemberMessage[];
}

export interface Delivery {
  readonly row: number;
  readonly grant: number;
  readonly outcome: 'sent' | 'over' | 'unreachable';
}

export interface SweepInput extends FleetRef {
  readonly rows: readonly { readonly row: number; readonly grant: number }[];
}

export interface SweepReport {
  readonly found: readonly Pick<
    Extract<FleetEvent, { kind: 'swept' }>,
    'row' | 'grant' | 'found'
  >[];
  /** Regions of those rows whose queues no worker serves. */
  readonly unservedRegions: readonly string[];
}

export interface OthersInput extends FleetRef {
  /** Labels for which the fleet has a cap. */
  readonly labels: readonly string[];
  /** Rows whose run is open: one that the fleet adopted does not say so in its memo. */
  readonly open: readonly number[];
}

export interface OtherCounts {
  /** Groups that have any. */
  readonly counts: Readonly<Record<string, number>>;
  /** Runs of an older version, which do not say their labels. */
  readonly unlabelled: number;
}

export interface OpeningsInput extends FleetRef {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface WaveOpenings {
  readonly wave: number;
  readonly openings: readonly Opening[];
}
