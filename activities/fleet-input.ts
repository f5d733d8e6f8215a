import type { Envelope } from '../domain/authority/signed-envelope.js';
import type { EncodedFleet } from '../domain/fleet/encoded-fleet.js';
import type { MemberReport } from '../domain/fleet/fleet-events.js';
import type { FleetOutbox } from '../domain/fleet/fleet-outbox.js';
import type { FleetPlan } from '../domain/fleet/fleet-plan.js';
import type { RowRequest } from '../domain/fleet/requests.js';
import type { REVISION_FORMAT } from '../domain/fleet/revise-fleet.js';
import type { MigrationPolicy, RunTimings } from '../domain/policy.js';
import type { Materials } from './contract.js';

/** What the runs of one wave take from it. Who may approve it is in its plan. */
export interface FleetWaveSettings {
  readonly policy: MigrationPolicy;
  readonly timings: RunTimings;
  readonly materials: Materials;
  readonly windows: readonly FleetWindow[];
  /** As YYYY-MM-DD. */
  readonly excludedDates: readonly string[];
}

/** As written in the file, checked: config/kinds/maintenance-window.ts. */
export interface FleetWindow {
  readonly days: readonly string[];
  readonly from: string;
  readonly to: string;
  readonly timeZone: string;
}

/** What the plan of one cluster says, in the order of the rows. */
export interface FleetMemberPlan {
  readonly uid: string;
  readonly region: string;
  readonly planDigest: string;
}

/** Input of a fleet's workflow: plain, validated, without a credential. */
export interface FleetMigrationInput {
  readonly fleet: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  /** In the first execution only. */
  readonly given: FleetGiven | null;
  /** In the later ones. */
  readonly carried: CarriedFleet | null;
  /** Events after which the fleet continues as new; only tests need another number. */
  readonly continueAfterEvents?: number;
  /** How long a run may be silent before it is described; only tests need another number. */
  readonly sweepAfterMs?: number;
  /** After what time it is counted again what others change; only tests need another number. */
  readonly othersAfterMs?: number;
  /** Task queue of the fleet's activities; only tests need another one. */
  readonly taskQueue?: string;
}

/** What runs are started with. Every execution has it, because a server forgets closed ones before a long fleet ends. */
export interface FleetSettings {
  /** One for each wave of the plan. */
  readonly waves: readonly FleetWaveSettings[];
  /** One for each row of the plan. */
  readonly members: readonly FleetMemberPlan[];
  /** Asks for the fleet and covers its members; absent where no one signs. */
  readonly authority?: Envelope;
}

export interface FleetGiven extends FleetSettings {
  readonly plan: Omit<FleetPlan, 'fleetRun'>;
  /** Who was left out: the digest of the plan covers it, so that audits can make the digest again. Absent from older builds. */
  readonly skipped?: readonly LeftOut[];
}

/** A cluster that the plan leaves out, and why. */
export interface LeftOut {
  readonly name: string;
  readonly kind: string;
  readonly code: string;
}

/** A new plan as it is sent to an open fleet. */
export interface RevisionOrder {
  readonly format: typeof REVISION_FORMAT;
  /** Chosen by the sender; the same id is applied once. */
  readonly commandId: string;
  readonly actor: string;
  readonly reason: string;
  readonly ticket: string;
  /** First run id and revision of the fleet that the sender saw. */
  readonly fleetRun: string;
  readonly revision: number;
  readonly given: FleetGiven;
  /** The -f arguments, as the memo shows them. */
  readonly files: readonly string[];
  /** For a fleet that was signed: the plan as its sender signed it. */
  readonly signed?: SignedRevision;
}

/** A new plan covers the fleet as it is afterwards: who started meanwhile keeps what it was started with. */
export interface SignedRevision {
  readonly statement: Envelope;
  /** Root over the members of the revised fleet, as in the statement. */
  readonly members: string;
}

/** What one execution of a fleet passes to the next: nothing that was decided may be lost. */
export interface CarriedFleet extends FleetSettings {
  readonly state: EncodedFleet;
  readonly outbox: FleetOutbox;
  readonly requests: readonly RowRequest[];
  readonly sweptAtMs: number;
  /** Until when openings are known. */
  readonly openUntilMs: number;
  /**
   * Reports that do not count yet: their run has not been described. Absent where there is none, and from older builds; one that does not
   * know them finds the ends when the runs have been silent for long enough.
   */
  readonly heard?: readonly MemberReport[];
}
