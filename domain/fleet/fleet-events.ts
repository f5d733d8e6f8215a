import type { AutomationPolicy } from '../policy.js';
import type { Target } from '../vocabulary.js';
import type { FleetCommand } from './fleet-command.js';
import type { FleetState, Opening, RowReversibility } from './fleet-state.js';

/** What a member reports. A normal run sends `soaking` and `ended`; a hold adds `held`, `parked` and `ready`. */
export type ReportKind =
  | { readonly kind: 'soaking' }
  /**
   * `heals`: nothing is to be judged. It ends by itself, or a person who paused the run or has to approve it goes on.
   * `changed`: the cluster is no longer as it was before the run.
   */
  | {
      readonly kind: 'held';
      readonly heals: boolean;
      readonly changed: boolean;
      readonly signature: string;
      readonly reversibility: RowReversibility;
    }
  | { readonly kind: 'parked' }
  | { readonly kind: 'ready' }
  /** The run changed its direction without an order: a person told it, or its own policy did. It goes on at once. */
  | {
      readonly kind: 'turned';
      readonly target: Target;
      readonly byPerson: boolean;
      readonly changed: boolean;
      readonly signature: string;
      readonly reversibility: RowReversibility;
    }
  | {
      readonly kind: 'ended';
      /** `drifted`: its first observation does not give the planned digest. `busy`: another run holds the fence. */
      readonly outcome: 'proven' | 'failed' | 'back' | 'stopped' | 'refused' | 'drifted' | 'busy';
      readonly changed: boolean;
      readonly signature: string;
      /** A person asked for the end or the rollback. */
      readonly asked: boolean;
      readonly reversibility: RowReversibility;
    };

export interface MemberReport {
  readonly fleetRun: string;
  readonly row: number;
  readonly grant: number;
  readonly sequence: number;
  readonly what: ReportKind;
}

/**
 * What starting a cluster came to. `queued`: the worker of its region is full. `keptBack`: it was not tried, as it may not begin any
 * more; no activity answers that.
 */
export type StartAnswer =
  'started' | 'adopted' | 'refused' | 'unreachable' | 'busy' | 'drifted' | 'queued' | 'keptBack';

/** Time comes from events only. */
export type FleetEvent = { readonly atMs: number } & (
  | { readonly kind: 'report'; readonly report: MemberReport }
  | {
      readonly kind: 'startAnswered';
      readonly row: number;
      readonly grant: number;
      readonly answer: StartAnswer;
      readonly signature: string;
    }
  /** What a sweep found by describing a silent member; it needs no sequence. */
  | {
      readonly kind: 'swept';
      readonly row: number;
      readonly grant: number;
      readonly found: ReportKind | { readonly kind: 'terminated' };
    }
  /** `automation`: what the policies of its waves let automation do; without it a rollback pauses. */
  | {
      readonly kind: 'command';
      readonly command: FleetCommand;
      readonly automation?: AutomationPolicy;
    }
  | { readonly kind: 'tick' }
  /** Openings of a wave as computed outside, in order; they replace those known before. */
  | { readonly kind: 'opening'; readonly wave: number; readonly openings: readonly Opening[] }
  /** Open runs that are not of this fleet, by group, as the server listed them when it was asked. */
  | {
      readonly kind: 'otherRuns';
      /** The fleet's when it asked: another one may have caps of other groups. */
      readonly revision: number;
      readonly askedAtMs: number;
      readonly counts: Readonly<Record<string, number>>;
      readonly unlabelled: number;
    }
);

export type FleetAction =
  /** Start or adopt the cluster's run toward `target`. */
  | {
      readonly kind: 'start';
      readonly row: number;
      readonly grant: number;
      readonly target: Target;
    }
  /** A parked member has a slot again. */
  | {
      readonly kind: 'grant';
      readonly row: number;
      readonly grant: number;
      readonly target: Target;
    }
  /** The member gives its slot back at its next safe point. */
  | { readonly kind: 'park'; readonly row: number; readonly grant: number }
  /** The member's open run changes its direction; it has a slot. */
  | { readonly kind: 'turn'; readonly row: number; readonly grant: number; readonly target: Target }
  /** The member stops at its next safe point and ends. */
  | { readonly kind: 'withdraw'; readonly row: number; readonly grant: number }
  /** The members pause at a safe point, until the brake of this command is released. */
  | { readonly kind: 'brake'; readonly commandId: string; readonly rows: readonly number[] }
  | { readonly kind: 'release'; readonly commandId: string; readonly rows: readonly number[] };

export interface FleetTransition {
  readonly state: FleetState;
  readonly actions: readonly FleetAction[];
}
