import type { Envelope } from '../authority/signed-envelope.js';
import type { Target } from '../vocabulary.js';
import type { FleetOrder, SeenLimits } from './fleet-command.js';
import type { FleetPlan, RolloutPolicy, RowPlan, WavePlan } from './fleet-plan.js';
import { type OtherRuns, UNKNOWN } from './other-runs.js';

/** `active`, `stalled` and `parking` hold a slot of the in-flight limit. The last five are ends. */
export const PHASES = [
  'waiting',
  'active',
  'stalled',
  'parking',
  'parked',
  'soaking',
  'proven',
  'failed',
  'back',
  'stopped',
  'skipped',
] as const;

export type RowPhase = (typeof PHASES)[number];

/** Why a row was skipped, or waits until it is tried again. */
export const CAUSES = [
  'none',
  'person',
  'refused',
  'unreachable',
  'busy',
  'drifted',
  'queued',
  'rollback',
  'stop',
  'soakLimit',
] as const;

/**
 * How far a canary is that goes forward, back and forward again. `back`: it was proven, and rolls back or waits to;
 * `forward`: it is back and goes forward for the second time. `none`: before that, and in all other rows.
 */
export const REHEARSALS = ['none', 'back', 'forward'] as const;

export type Rehearsal = (typeof REHEARSALS)[number];

export type RowCause = (typeof CAUSES)[number];

/**
 * `no`: never again. `later`: something blocks it that can pass, such as an unreadable node; a run that is turned waits for that.
 * Stored by position, so that a new one goes to the end.
 */
export const REVERSIBILITIES = ['unknown', 'yes', 'notes', 'no', 'later'] as const;

export type RowReversibility = (typeof REVERSIBILITIES)[number];

/** One cluster of the fleet. */
export interface Row extends RowPlan {
  readonly index: number;
  readonly phase: RowPhase;
  readonly target: Target;
  /** Rises with each start, adoption and re-grant. Reports of older grants are dropped. */
  readonly grant: number;
  /** Sequence of the last report that counted in this grant. */
  readonly sequence: number;
  /** How many rows started before it, counted from 1; 0 before its first start. */
  readonly started: number;
  readonly sinceMs: number;
  /** When its change began; null where a slot that it lost, or a turn, makes its length no measure for others. */
  readonly changeFromMs: number | null;
  /** When its change was done and its soak began, for the first time. */
  readonly passedMs: number | null;
  readonly burntMs: number | null;
  /** The signature with which it burnt. */
  readonly burntBy: string;
  /** Code and step of the last failure or hold. */
  readonly signature: string;
  readonly cause: RowCause;
  /** Not started before this time. */
  readonly notBeforeMs: number;
  /** How often it returned to the end of the queue. */
  readonly requeues: number;
  readonly reversibility: RowReversibility;
  /** Parked, and its hold has healed. */
  readonly ready: boolean;
  /** A person asked for its next attempt. */
  readonly asked: boolean;
  /** Its hold heals without a person. */
  readonly heals: boolean;
  /** Waits for a slot in which to roll back. */
  readonly rollbackQueued: boolean;
  /** A person changed its direction. */
  readonly turnedByPerson: boolean;
  readonly stopping: boolean;
  readonly rehearsal: Rehearsal;
  /** Its wave ended without it. */
  readonly lastPass: boolean;
}

export interface Approval {
  readonly actor: string;
  /** Whose key signed it; absent where no one signs. */
  readonly principal?: string;
  /** As its sender signed it, for the workers that start runs by it; absent where no one signs. */
  readonly signed?: Envelope;
  readonly atMs: number;
}

/** A time in which clusters of a wave may change. */
export interface Opening {
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  /** What keeps the wave closed before this opening. */
  readonly closedBy: 'window' | 'exclusion';
}

export interface Wave extends WavePlan {
  readonly index: number;
  /** When its clusters could start first; null before. */
  readonly begunMs: number | null;
  /** A person started it before its turn. */
  readonly early: boolean;
  /** A person opened it to all its clusters, whatever became of its canaries. */
  readonly opened: boolean;
  readonly over: boolean;
  /** It was over when the plan was revised, so that it kept its approvals of the plan before. */
  readonly overAtRevision?: true;
  readonly approvedBefore: readonly Approval[];
  readonly approvedAfter: readonly Approval[];
  readonly rejected: { readonly actor: string; readonly reason: string } | null;
  readonly openings: readonly Opening[];
}

/** A pause or freeze in force. Only the resume or unfreeze of the same scope releases it. */
export interface Brake {
  readonly commandId: string;
  readonly kind: 'pause' | 'freeze';
  readonly actor: string;
  readonly reason: string;
  readonly scope: BrakeScope;
}

export type BrakeScope =
  | { readonly kind: 'fleet' }
  | { readonly kind: 'wave'; readonly wave: number }
  | { readonly kind: 'rows'; readonly rows: readonly number[] };

/** Admission of a group stopped by correlated failures, until a person resumes it. */
export interface GroupHold {
  readonly group: string;
  readonly signature: string;
  readonly sinceMs: number;
}

/** All rows, as a group. */
export const WHOLE_FLEET = '*';

/** The one answer to a command: who gave it when, and how many rows it reached. */
export interface FleetAnswer {
  /** `revise`: a new plan. `unreadable`: the command came from another version, or was made by hand. */
  readonly verb: FleetOrder['verb'] | 'revise' | 'unreadable';
  readonly actor: string;
  readonly atMs: number;
  readonly state: 'applied' | 'pending' | 'refused';
  readonly applied: number;
  readonly refused: number;
  readonly detail: string;
}

/** Higher limits that wait for a second person. */
export interface PendingLimits extends SeenLimits {
  /** Which of the two were asked for: the other stays as it is by then. Absent in the states of older builds, which meant both. */
  readonly asked?: readonly (keyof SeenLimits)[];
  readonly actor: string;
  /** Whose key signed it; absent where no one signs. */
  readonly principal?: string;
  readonly atMs: number;
}

/** Plain JSON; `encodeFleet` makes it short for the history. */
export interface FleetState {
  readonly fleetRun: string;
  /** The ended fleet that this one was opened again from: its rows are the same clusters. */
  readonly formerRun: string | null;
  readonly requester: string;
  /** Whose key signed the plan that it was revised to. Absent before, and where no one signs. */
  readonly requesterPrincipal?: string;
  readonly planDigest: string;
  readonly revision: number;
  readonly beganMs: number;
  readonly nowMs: number;
  readonly policy: RolloutPolicy;
  readonly waves: readonly Wave[];
  readonly rows: readonly Row[];
  /** Rows started so far. */
  readonly starts: number;
  readonly stopped: boolean;
  readonly lastPassBegun: boolean;
  readonly brakes: readonly Brake[];
  readonly groupHolds: readonly GroupHold[];
  /** Failures of a group up to this time were judged by a person. */
  readonly judgedMs: Readonly<Record<string, number>>;
  /** What caps have to count beside the fleet's own clusters. */
  readonly otherRuns: OtherRuns;
  readonly pendingLimits: PendingLimits | null;
  readonly answers: Readonly<Record<string, FleetAnswer>>;
}

/** The state before the first event. */
export function beginFleet(plan: FleetPlan, nowMs: number): FleetState {
  const { fleetRun, requester, planDigest, revision, policy } = plan;
  return {
    ...{ fleetRun, requester, planDigest, revision, policy, nowMs },
    formerRun: null,
    beganMs: nowMs,
    waves: plan.waves.map((wave, index) => ({ ...wave, index, ...FRESH_WAVE })),
    rows: plan.rows.map((row, index) => freshRow(row, index, nowMs)),
    starts: 0,
    stopped: false,
    lastPassBegun: false,
    brakes: [],
    groupHolds: [],
    judgedMs: {},
    otherRuns: UNKNOWN,
    pendingLimits: null,
    answers: {},
  };
}

export const FRESH_WAVE = {
  begunMs: null,
  early: false,
  opened: false,
  over: false,
  approvedBefore: [],
  approvedAfter: [],
  rejected: null,
  openings: [],
} as const;

/**
 * A row that has not been started. One literal without spreads: V8 makes a row of spreads a hash table, which copies and reads
 * several times as slowly for the fleet's whole life.
 */
export function freshRow(
  { name, wave, canary, groups, expectedMs }: RowPlan,
  index: number,
  sinceMs: number,
): Row {
  return {
    name,
    wave,
    canary,
    groups,
    expectedMs,
    index,
    sinceMs,
    phase: 'waiting',
    target: 'ccm',
    grant: 0,
    sequence: 0,
    started: 0,
    changeFromMs: null,
    passedMs: null,
    burntMs: null,
    burntBy: '',
    signature: '',
    cause: 'none',
    notBeforeMs: 0,
    requeues: 0,
    reversibility: 'unknown',
    ready: false,
    asked: false,
    heals: false,
    rollbackQueued: false,
    turnedByPerson: false,
    stopping: false,
    rehearsal: 'none',
    lastPass: false,
  };
}
