import type { Envelope } from '../authority/signed-envelope.js';

/** What a command is about. A label selector arrives as the rows that it selects. */
export type FleetScope =
  | { readonly kind: 'fleet' }
  | { readonly kind: 'wave'; readonly wave: number }
  | { readonly kind: 'group'; readonly group: string }
  | { readonly kind: 'rows'; readonly rows: readonly number[] };

export type ApprovalSubject =
  | { readonly kind: 'before'; readonly wave: number }
  | { readonly kind: 'after'; readonly wave: number }
  /** Higher limits that another person set. */
  | { readonly kind: 'limits' };

/** Both, as they are after the approval. */
export interface SeenLimits {
  readonly inFlight: number;
  readonly unproven: number;
}

export type RetryFilter =
  | { readonly kind: 'all' }
  | { readonly kind: 'failed' }
  | { readonly kind: 'skipped' }
  | { readonly kind: 'signature'; readonly signature: string };

export type FleetOrder =
  | { readonly verb: 'pause' }
  | { readonly verb: 'resume' }
  | { readonly verb: 'freeze' }
  | { readonly verb: 'unfreeze' }
  /** Bound to the plan and the revision that the person saw. */
  | {
      readonly verb: 'approve';
      readonly subject: ApprovalSubject;
      readonly planDigest: string;
      readonly revision: number;
      /** Of higher limits, those that were seen. Absent from older senders, whose approval would be for any. */
      readonly limits?: SeenLimits;
    }
  | { readonly verb: 'reject'; readonly subject: ApprovalSubject }
  | { readonly verb: 'skip' }
  | { readonly verb: 'open' }
  | { readonly verb: 'retry'; readonly only: RetryFilter }
  | { readonly verb: 'stop' }
  | { readonly verb: 'rollBack' }
  | { readonly verb: 'rollForward' }
  /** Null leaves a limit as it is. */
  | { readonly verb: 'set'; readonly inFlight: number | null; readonly unproven: number | null }
  | { readonly verb: 'budget'; readonly clusters: number };

export interface FleetCommand {
  /** Chosen by the sender; the same id is applied once, however often it arrives. */
  readonly commandId: string;
  readonly actor: string;
  readonly reason: string;
  /**
   * First run id of the fleet that the sender saw: waves and rows are numbers, which mean other clusters in a later fleet of this name.
   * Null where the sender saw none, which only suffices for the whole of whatever fleet is open.
   */
  readonly fleetRun: string | null;
  readonly scope: FleetScope;
  readonly order: FleetOrder;
  /** For orders of automation: when the alert began, in epoch ms. */
  readonly alertSinceMs?: number;
  /** The command as its sender signed it; absent where it is not signed. */
  readonly signed?: Envelope;
  /** Whose key signed it, as a worker said when it admitted it; never read from what was sent. Absent where no one signs. */
  readonly principal?: string;
}
