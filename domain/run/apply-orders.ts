import { isSpent, restingOn } from '../authority/direction-commands.js';
import type { Envelope } from '../authority/signed-envelope.js';
import type { Target } from '../vocabulary.js';
import { holdingBrakes } from './alert-pauses.js';
import { automationIn, isAutomation } from './automation.js';
import { stopFor, triedAgain, withSpent } from './apply-commands.js';
import { NOTHING_REPORTED, isOrderFor, type QueuedOrder, withTies } from './fleet-ties.js';
import { changeTarget, heals } from './holds.js';
import type { MemberMessage, MemberOrder } from './membership.js';
import type { Requester, RunState } from './run-state.js';

type OrderOf<Kind extends MemberOrder['kind']> = Extract<MemberOrder, { readonly kind: Kind }>;

/** Applies the queued orders of the fleet, in order of arrival. Only called at safe points. */
export function applyOrders(state: RunState): RunState {
  const { orders } = state.membership;
  if (orders.length === 0) return state;
  return orders.reduce(applyOrder, withTies(state, { orders: [] }));
}

/** Whether orders changed more than what is remembered of them, so that the run must decide again. */
export function disturbs(before: RunState, after: RunState): boolean {
  return (
    before.pending !== after.pending ||
    before.operatorHold !== after.operatorHold ||
    before.membership.slot !== after.membership.slot ||
    brakesOn(before) !== brakesOn(after)
  );
}

/** One that holds nothing disturbs nothing. */
function brakesOn(state: RunState): string {
  return JSON.stringify(holdingBrakes(state).map(({ commandId }) => commandId));
}

/** An order for another run, of a former grant, or after the word to stop, has no effect; nor has a repetition. */
function applyOrder(state: RunState, message: QueuedOrder): RunState {
  const { order } = message;
  if (state.operatorHold.kind === 'stop' || !isOrderFor(state.membership, message)) return state;
  switch (order.kind) {
    case 'adopt':
      return adopt(state, message, order);
    case 'park':
      return withTies(underGrant(state, message), { slot: 'givenBack' });
    case 'grant':
      return grant(state, message, order);
    case 'turn':
      return turnAsOrdered(state, message, order);
    case 'withdraw':
      return stopFor(underGrant(state, message), order.by);
    case 'brake':
      return brake(state, order, message);
    case 'release':
      return release(state, order);
  }
}

/** The fleet has looked at its own policy; this run may have another one. */
function isRefusedTurn(
  { policy, direction }: RunState,
  { target, by }: OrderOf<'turn'> | OrderOf<'grant'>,
): boolean {
  const turns = target === 'kcm' && direction.target !== 'kcm';
  return turns && isAutomation(by.actor) && automationIn(policy).rollBack === 'refused';
}

/** What automation may not turn waits for a person. */
function pausedInstead(state: RunState, by: Requester, { yields }: QueuedOrder): RunState {
  if (state.operatorHold.kind === 'pause') return state;
  return {
    ...state,
    operatorHold: { kind: 'pause', by, ...(yields === undefined ? {} : { yields }) },
  };
}

/**
 * A newer grant is taken over from an order that gives or takes the slot, or ends the run: reports are counted from zero. A brake leaves it to the order that gives the slot.
 */
function underGrant(state: RunState, { grant: given }: MemberMessage): RunState {
  const { of } = state.membership;
  if (of === null || given <= of.grant) return state;
  return withTies(state, {
    of: { ...of, grant: given },
    ...{ sequence: 0, reported: NOTHING_REPORTED },
  });
}

function isNewer({ membership: { of } }: RunState, { grant: given }: MemberMessage): boolean {
  return of === null || given > of.grant;
}

function adopt(
  state: RunState,
  message: MemberMessage,
  { fleetWorkflowId }: OrderOf<'adopt'>,
): RunState {
  if (!isNewer(state, message)) return state;
  const { fleetRun, row, grant: given } = message;
  return withTies(withSlot(state), {
    of: { fleetWorkflowId, fleetRun, row, grant: given },
    ordered: state.direction.target,
    ...{ sequence: 0, reported: NOTHING_REPORTED },
  });
}

/** What was last observed may be from long ago when a parked run has a slot again. */
function withSlot(state: RunState): RunState {
  if (state.membership.slot === 'held') return state;
  return withTies({ ...state, pending: { ...state.pending, observed: true } }, { slot: 'held' });
}

/**
 * Each grant has its own number, so that a repeated one is recognised by it. The direction in which the fleet believes the
 * run to go takes nothing back from a person or a policy that turned it meanwhile.
 */
function grant(state: RunState, message: QueuedOrder, order: OrderOf<'grant'>): RunState {
  const { target, by } = order;
  if (!isNewer(state, message)) return state;
  const wants = target !== state.membership.ordered && target !== state.direction.target;
  const turns = wants && mayTurn(state, message, order);
  if (isRefusedTurn(state, order)) return underGrant(pausedInstead(state, by, message), message);
  const next = turns
    ? withTies(turnedTo(state, order), { turnedByPerson: false })
    : triedAsOrdered(state, message, order.retry);
  return withTies(withSlot(underGrant(next, message)), { ordered: target });
}

/** A run that goes that way already and is held tries again. */
function turnAsOrdered(state: RunState, message: QueuedOrder, order: OrderOf<'turn'>): RunState {
  const { target, by, byPerson, signed } = order;
  const { lastTurn, turnedByPerson } = state.membership;
  const { yields: _, ...asSent } = message;
  const sent = JSON.stringify(asSent);
  if (sent === lastTurn) return state;
  if (isRefusedTurn(state, order)) {
    return withTies(pausedInstead(state, by, message), { lastTurn: sent });
  }
  const turns = target !== state.direction.target;
  if (turns && !mayTurn(state, message, order)) return state;
  const next = turns ? turnedTo(state, order) : triedAsOrdered(state, message, signed);
  return withTies(withSlot(underGrant(next, message)), {
    ...{ ordered: target, lastTurn: sent, reported: NOTHING_REPORTED },
    turnedByPerson: byPerson || (turnedByPerson && !turns),
  });
}

function turnedTo(
  state: RunState,
  { target, by, signed }: OrderOf<'turn'> | OrderOf<'grant'>,
): RunState {
  const { triedBy: _, ...before } = withSpent(state, signed);
  const turned = changeTarget(before, target, by, turnWords(target));
  const kept = restingOn(state.signed ?? [], signed, 'turns');
  return kept.length === 0 ? turned : { ...turned, signed: kept };
}

/**
 * Whether an order may turn a run that people signed: by a command that it has not followed before. Whether its policy may turn
 * it back by itself, the workers say at the next step.
 */
function mayTurn(
  { spent }: RunState,
  { isBound }: QueuedOrder,
  { target, signed }: OrderOf<'turn'> | OrderOf<'grant'>,
): boolean {
  if (isBound !== true) return true;
  return signed === undefined ? target === 'kcm' : !isSpent(spent, signed);
}

/**
 * What ends by itself is tried again with each slot. For the rest a person's word is needed, once; a worker checks it at the
 * next step.
 */
function triedAsOrdered(
  state: RunState,
  { isBound }: QueuedOrder,
  word: Envelope | undefined,
): RunState {
  if (isBound !== true) return triedAgain(state);
  const { holdReason } = state.problems;
  if (holdReason !== null && heals(holdReason)) return triedAgain(state);
  if (word === undefined || isSpent(state.spent, word)) return state;
  const tried = withSpent(triedAgain(state), word);
  // With the fence, a worker records whose word it was.
  return { ...tried, triedBy: word, pending: { ...tried.pending, fence: true } };
}

function turnWords(target: Target): string {
  return target === 'kcm' ? 'rolled back' : 'rolled forward';
}

function brake(
  state: RunState,
  { commandId, by }: OrderOf<'brake'>,
  { yields }: QueuedOrder,
): RunState {
  if (isAutomation(by.actor) && automationIn(state.policy).pause === 'refused') return state;
  const { brakes, released } = state.membership;
  const known = released.includes(commandId) || brakes.some((each) => each.commandId === commandId);
  return known
    ? state
    : withTies(state, {
        brakes: [...brakes, { commandId, by, ...(yields === undefined ? {} : { yields }) }],
      });
}

/** How many releases are remembered. A brake does not arrive later than so many others were released. */
const RELEASES_KEPT = 50;

function release(state: RunState, { commandId }: OrderOf<'release'>): RunState {
  const { brakes, released } = state.membership;
  if (released.includes(commandId)) return state;
  const known = withTies(state, { released: [...released, commandId].slice(-RELEASES_KEPT) });
  if (!brakes.some((each) => each.commandId === commandId)) return known;
  const remaining = brakes.filter((each) => each.commandId !== commandId);
  return withTies(
    { ...known, pending: { ...known.pending, observed: true } },
    { brakes: remaining },
  );
}
