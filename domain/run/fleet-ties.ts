import type { Target } from '../vocabulary.js';
import type { MemberMessage, Membership } from './membership.js';
import type { Yields } from './queued-command.js';
import type { Requester } from './who-asked.js';

/** What ties a run to a fleet: what the fleet has ordered, and what it has been told. */
export interface FleetTies {
  /** Null for a run without a fleet. */
  readonly of: Membership | null;
  /** The target that the fleet named last; the run has another one after a person or its own policy turned it. */
  readonly ordered: Target | null;
  /** `givenBack`: parked. The run changes nothing until the fleet gives it a slot again. */
  readonly slot: 'held' | 'givenBack';
  /** The brakes in force. Each ends by its own release only. */
  readonly brakes: readonly MemberBrake[];
  /** Commands whose brakes were released: such a brake does not count when it arrives late or again. */
  readonly released: readonly string[];
  /** Orders that wait for a safe point, in order of arrival. */
  readonly orders: readonly QueuedOrder[];
  /** The last turn as it was sent: the same again is a repetition. */
  readonly lastTurn: string;
  /** Whether a person changed the direction last, here or through the fleet. */
  readonly turnedByPerson: boolean;
  /** Whether a step failed in this run after which it is not known what it wrote. */
  readonly mayHaveWritten: boolean;
  /** Sequence of the last report in this grant. */
  readonly sequence: number;
  readonly reported: Reported;
}

/** `isBound`: it changes the course of the run only with a command that a person signed. `yields`: what it pauses rolls back all the same. */
export type QueuedOrder = MemberMessage & { readonly isBound?: boolean; readonly yields?: Yields };

export interface MemberBrake {
  readonly commandId: string;
  readonly by: Requester;
  /** It holds no rollback: automation asked for it. */
  readonly yields?: Yields;
}

/** What the fleet has been told in this grant, so that it is told once. */
export interface Reported {
  readonly soaking: boolean;
  /** The hold that was reported and has not been reported as over. */
  readonly hold: { readonly cause: string; readonly heals: boolean } | null;
  readonly parked: boolean;
  readonly ready: boolean;
  /** The target that the run reported after it had turned without an order. */
  readonly target: Target | null;
  readonly ended: boolean;
}

export const NOTHING_REPORTED: Reported = {
  soaking: false,
  hold: null,
  parked: false,
  ready: false,
  target: null,
  ended: false,
};

/** The ties of a run at its start. */
export function firstTies(of: Membership | null, target: Target | null): FleetTies {
  return {
    ...{ of, ordered: of === null ? null : target },
    ...{ slot: 'held', brakes: [], released: [], orders: [], lastTurn: '' },
    ...{ turnedByPerson: false, mayHaveWritten: false },
    ...{ sequence: 0, reported: NOTHING_REPORTED },
  };
}

/** A state with other ties. */
export function withTies<State extends { readonly membership: FleetTies }>(
  state: State,
  changes: Partial<FleetTies>,
): State {
  return { ...state, membership: { ...state.membership, ...changes } };
}

/** Whether an order is for this run. One of a former grant is over; a release names its brake and never is. */
export function isOrderFor(
  { of }: Pick<FleetTies, 'of'>,
  { fleetRun, row, grant, order }: MemberMessage,
): boolean {
  if (of === null) return order.kind === 'adopt';
  const same = fleetRun === of.fleetRun && row === of.row;
  return same && (grant >= of.grant || order.kind === 'release');
}

/** The fleet's name, as people type it; empty for a run without a fleet. */
export function fleetName({ of }: Pick<FleetTies, 'of'>): string {
  return of === null ? '' : of.fleetWorkflowId.slice(of.fleetWorkflowId.indexOf('/') + 1);
}
