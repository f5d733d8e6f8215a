import type { Target } from '../vocabulary.js';
import type { MemberBrake } from './fleet-ties.js';
import type { Yields } from './queued-command.js';
import type { OperatorHold, Requester, RunState } from './run-state.js';

type Paused = Pick<RunState, 'operatorHold' | 'membership' | 'direction'>;
type OwnPause = Extract<OperatorHold, { readonly kind: 'pause' }>;

/**
 * A pause of automation holds what goes forward. A rollback goes on: it is what a person, policy or automation itself had done
 * about harm, and the alert that comes with the harm must not stop it halfway. A person who wants that pauses the run.
 */
export function givesWay(
  { yields }: { readonly yields?: Yields },
  { target }: { readonly target: Target },
): boolean {
  return yields !== undefined && target === 'kcm';
}

/** The run's own pause, where it holds the run. */
export function ownPause({
  operatorHold: hold,
  direction,
}: Pick<Paused, 'operatorHold' | 'direction'>): OwnPause | null {
  return hold.kind === 'pause' && !givesWay(hold, direction) ? hold : null;
}

/** The brakes of its fleet that hold the run. */
export function holdingBrakes({
  membership,
  direction,
}: Pick<Paused, 'membership' | 'direction'>): readonly MemberBrake[] {
  return membership.brakes.filter((brake) => !givesWay(brake, direction));
}

/** Paused by a person or an alert, or by its fleet; each pause ends on its own. */
export function isPaused(state: Paused): boolean {
  return ownPause(state) !== null || holdingBrakes(state).length > 0;
}

/** Whether a person has decided that the run waits, whichever way it goes. */
export function isPausedByPerson({ operatorHold: hold, membership }: Paused): boolean {
  const isOwn = hold.kind === 'pause' && hold.yields === undefined;
  return isOwn || membership.brakes.some(({ yields }) => yields === undefined);
}

/** Whether nothing but alerts has paused a run that has its slot, so that its policy may still turn it. */
export function isLeftToPolicy(state: Paused): boolean {
  const own = ownPause(state);
  const pauses = [...(own === null ? [] : [own]), ...holdingBrakes(state)];
  const yieldsAll = pauses.every(({ yields }) => yields === 'toPolicy');
  return pauses.length > 0 && yieldsAll && state.membership.slot === 'held';
}

/** The pause of an alert, as a status tells it. */
export interface AlertPause extends Requester {
  /** Not while the run rolls back. */
  readonly holds: boolean;
}

/** Null where no alert has paused the run, or a person's pause has taken its place. */
export function alertPause({ operatorHold, membership, direction }: Paused): AlertPause | null {
  const own = operatorHold.kind === 'pause' ? [operatorHold] : [];
  const found = [...own, ...membership.brakes].find(({ yields }) => yields !== undefined);
  return found === undefined ? null : { ...found.by, holds: !givesWay(found, direction) };
}
