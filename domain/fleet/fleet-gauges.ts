import type { FleetState, RowCause } from './fleet-state.js';
import { viewFleet, type FleetView, type PhaseCounts } from './fleet-view.js';
import type { WaitReason } from './wait-reasons.js';

/**
 * What clusters wait for, in one word: for a wave that is not open, why it is not. `noOpening`: no known window is long enough,
 * so that no date ends it.
 */
export type BlockReason =
  | 'noOpening'
  | Exclude<WaitReason['kind'], 'wave'>
  | Extract<WaitReason, { readonly kind: 'wave' }>['standing']['kind'];

type LeftOutCause = Exclude<RowCause, 'none'>;

/** The figures of a fleet that monitoring follows. */
export interface FleetGauges {
  readonly clusters: PhaseCounts;
  /** Of those that were skipped, how many by each cause: a person's word, or what no one chose. */
  readonly leftOut: Readonly<Record<LeftOutCause, number>>;
  /** How many more clusters may fail. What moving clusters reserve is not taken off: they mostly give it back. */
  readonly budgetLeft: number;
  readonly blocked: Readonly<Record<BlockReason, boolean>>;
  /** How long the oldest need has waited for a person; 0 where no one is needed. */
  readonly needYouOldestMs: number;
}

const NOT_BLOCKED: FleetGauges['blocked'] = {
  ...{ paused: false, frozen: false, deadline: false, lastPass: false, stopping: false },
  ...{ order: false, startTime: false, rejected: false, approvalBefore: false },
  ...{ canary: false, retry: false, group: false, window: false, noOpening: false },
  ...{ others: false },
  ...{ cap: false, inFlight: false, unproven: false, budget: false, healing: false, person: false },
};

const NONE_LEFT_OUT: FleetGauges['leftOut'] = {
  ...{ person: 0, refused: 0, unreachable: 0, busy: 0, drifted: 0, queued: 0 },
  ...{ rollback: 0, stop: 0, soakLimit: 0 },
};

/** A fleet that has ended has no clusters in any state, blocks nothing and needs no one. */
export const ENDED_FLEET: FleetGauges = {
  clusters: {
    ...{ waiting: 0, active: 0, stalled: 0, parking: 0, parked: 0, soaking: 0 },
    ...{ proven: 0, failed: 0, back: 0, stopped: 0, skipped: 0 },
  },
  leftOut: NONE_LEFT_OUT,
  budgetLeft: 0,
  blocked: NOT_BLOCKED,
  needYouOldestMs: 0,
};

/** The figures from the state alone; `nowMs` only tells how old the needs are. */
export function gaugesOf(state: FleetState, fleet: string, nowMs: number): FleetGauges {
  const view = viewFleet(state, fleet);
  return {
    clusters: view.counts,
    leftOut: leftOutOf(state),
    budgetLeft: Math.max(0, view.limits.budget - view.limits.burnt),
    blocked: blockedBy(view),
    needYouOldestMs: oldestMs(state, view, nowMs),
  };
}

function leftOutOf({ rows }: FleetState): FleetGauges['leftOut'] {
  const leftOut = { ...NONE_LEFT_OUT };
  for (const { phase, cause } of rows) {
    if (phase === 'skipped' && cause !== 'none') leftOut[cause] += 1;
  }
  return leftOut;
}

/** A soak ends by itself, so that a fleet of which clusters soak is not blocked: it waits for them. */
function blockedBy({ limits, counts, groups }: FleetView): FleetGauges['blocked'] {
  if (limits.moving + counts.soaking > 0) return NOT_BLOCKED;
  const blocked = { ...NOT_BLOCKED };
  for (const { waitsFor } of groups) {
    if (waitsFor !== null) blocked[reasonOf(waitsFor)] = true;
  }
  return blocked;
}

function reasonOf(waitsFor: WaitReason): BlockReason {
  if (waitsFor.kind === 'wave') return waitsFor.standing.kind;
  const isClosedForGood = waitsFor.kind === 'window' && waitsFor.opensAtMs === null;
  return isClosedForGood ? 'noOpening' : waitsFor.kind;
}

/** A need of which the fleet did not record the beginning counts from the fleet's own: better too early an alert than none. */
function oldestMs({ beganMs }: FleetState, { needs }: FleetView, nowMs: number): number {
  return Math.max(0, ...needs.map(({ sinceMs }) => nowMs - (sinceMs ?? beganMs)));
}
