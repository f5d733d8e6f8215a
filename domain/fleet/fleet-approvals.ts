import { isAmong, isSamePerson } from '../run/same-person.js';
import { isSameSigner, signerIn } from './same-signer.js';
import { orderApplied, orderRefused, type OrderResult } from './order-result.js';
import { awaitedLimits, higherLimits, limitsText } from './awaited-limits.js';
import type { ApprovalSubject, FleetCommand, FleetOrder, SeenLimits } from './fleet-command.js';
import { waveStanding } from './waves.js';
import type { RolloutPolicy } from './fleet-plan.js';
import type { Approval, FleetState, PendingLimits, Wave } from './fleet-state.js';

type Approve = Extract<FleetOrder, { verb: 'approve' }>;
type SetLimits = Extract<FleetOrder, { verb: 'set' }>;

const ONE = { applied: 1, refused: 0 };

function only(state: FleetState, detail: string): OrderResult {
  return orderApplied({ state, actions: [] }, ONE, detail);
}

/** Never from the person who asked, and only for the plan and revision that were seen. */
export function approveInFleet(
  state: FleetState,
  command: FleetCommand,
  order: Approve,
): OrderResult {
  const { subject, planDigest, revision } = order;
  if (planDigest !== state.planDigest || revision !== state.revision) {
    return orderRefused(state, 'the approval is for another plan or revision');
  }
  if (subject.kind === 'limits') return approveLimits(state, command, order);
  const wave = state.waves[subject.wave];
  if (wave === undefined) return orderRefused(state, 'there is no such wave');
  return approveWave(state, command, wave, subject.kind);
}

function approveWave(
  state: FleetState,
  command: FleetCommand,
  wave: Wave,
  when: 'before' | 'after',
): OrderResult {
  const { actor, principal: known = actor } = command;
  if (isRequester(state, command)) return orderRefused(state, `${actor} asked for this fleet`);
  if (!mayWait(wave, when)) return orderRefused(state, 'nothing waits for this approval');
  // By whose key it was where that is known: a name can be claimed.
  if (!isAmong(wave.approvers, known))
    return orderRefused(state, `${known} is no approver of this wave`);
  const quorum = wave.approvals[when];
  const given = validApprovals(state, wave, when).filter((each) => !isUnkeyed(each, command));
  if (given.length >= quorum) return orderRefused(state, 'nothing waits for this approval');
  const isRepeated = given.some((each) => isFrom(each, command));
  if (isRepeated) return orderRefused(state, `${actor} has approved it`);
  const approvals = [...given, approvalOf(command, state.nowMs)];
  const next = withWave(state, { ...withApprovals(wave, when, approvals), rejected: null });
  return only(next, `${approvals.length} of ${quorum} approvals`);
}

/** What a worker has checked is kept as it was signed: others check it again before they change a cluster. */
function approvalOf(command: FleetCommand, atMs: number): Approval {
  const { actor, principal, signed } = command;
  const kept = principal === undefined || signed === undefined ? {} : { signed };
  return { actor, ...signerIn(command), ...kept, atMs };
}

/** What a worker of an older version admitted says no key: it may be of the same one, and does not count beside it. */
function isUnkeyed({ principal }: Pick<Approval, 'principal'>, command: FleetCommand): boolean {
  return command.principal !== undefined && principal === undefined;
}

/** By name, as claimed, or by the key that signed. */
function isFrom(one: Pick<Approval, 'actor' | 'principal'>, command: FleetCommand): boolean {
  return isSamePerson(one.actor, command.actor) || isSameSigner(one, command);
}

function isRequester(
  { requester: actor, requesterPrincipal: principal }: FleetState,
  command: FleetCommand,
): boolean {
  return isFrom({ actor, ...signerIn({ principal }) }, command);
}

/** A wave that has begun waits for no approval to begin; who wants to stop it pauses it. */
function mayWait({ approvals, begunMs, over }: Wave, when: 'before' | 'after'): boolean {
  return approvals[when] > 0 && !over && (when === 'after' || begunMs === null);
}

function approvalsOf(wave: Wave, when: 'before' | 'after'): readonly Approval[] {
  return when === 'before' ? wave.approvedBefore : wave.approvedAfter;
}

function validApprovals(
  { nowMs, policy }: FleetState,
  wave: Wave,
  when: 'before' | 'after',
): readonly Approval[] {
  return approvalsOf(wave, when).filter(({ atMs }) => nowMs < atMs + policy.approvalExpiryMs);
}

function withApprovals(wave: Wave, when: 'before' | 'after', given: readonly Approval[]): Wave {
  return when === 'before' ? { ...wave, approvedBefore: given } : { ...wave, approvedAfter: given };
}

function withWave(state: FleetState, wave: Wave): FleetState {
  return { ...state, waves: state.waves.with(wave.index, wave) };
}

/** Holds the wave with a reason, and takes back the approvals that were given. */
export function rejectInFleet(
  state: FleetState,
  { actor, reason }: FleetCommand,
  subject: ApprovalSubject,
): OrderResult {
  if (subject.kind === 'limits') {
    return state.pendingLimits === null
      ? orderRefused(state, 'no limits wait for approval')
      : only({ ...state, pendingLimits: null }, 'the limits stay as they are');
  }
  const wave = state.waves[subject.wave];
  if (wave === undefined) return orderRefused(state, 'there is no such wave');
  if (!mayWait(wave, subject.kind)) return orderRefused(state, 'nothing waits for this approval');
  const without = withApprovals(wave, subject.kind, []);
  return only(withWave(state, { ...without, rejected: { actor, reason } }), 'rejected');
}

/** The person's word: first that a wave begins before its turn, then that it goes on without a proven canary. */
export function openWave(state: FleetState, { scope }: FleetCommand): OrderResult {
  const wave = scope.kind === 'wave' ? state.waves[scope.wave] : undefined;
  if (wave === undefined) return orderRefused(state, 'only a wave can be opened');
  if (wave.begunMs === null && !wave.early) return openEarly(state, wave);
  if (wave.opened) return orderRefused(state, 'it is open');
  return only(withWave(state, { ...wave, opened: true }), 'open to all its clusters');
}

/** No one but the waves before it can be passed over so: what else it waits for is said, and stays. */
function openEarly(state: FleetState, wave: Wave): OrderResult {
  const missing = missingToBegin(state, { ...wave, early: true });
  const inTurn = state.waves.every(({ over, index }) => over || index >= wave.index);
  if (inTurn && missing !== '') {
    return orderRefused(state, `it is its turn already, and it waits for ${missing}`);
  }
  const next = withWave(state, { ...wave, early: true });
  return missing === ''
    ? only(next, 'it begins before its turn')
    : only(next, `it no longer waits for the waves before it, but for ${missing}`);
}

/** Empty for a wave that begins now. */
function missingToBegin(state: FleetState, wave: Wave): string {
  const standing = waveStanding(state, wave);
  switch (standing.kind) {
    case 'startTime':
      return 'its start time';
    case 'rejected':
      return `an approval: ${standing.actor} rejected it`;
    case 'approvalBefore':
      return `${standing.missing} more ${standing.missing === 1 ? 'approval' : 'approvals'}`;
    case 'running':
    case 'short':
    case 'approvalAfter':
    case 'over':
    case 'order':
      return '';
  }
}

/** Lower limits apply at once; no run is interrupted. Higher ones wait for another person. */
export function setLimits(state: FleetState, command: FleetCommand, order: SetLimits): OrderResult {
  const { policy } = state;
  const { actor } = command;
  const inFlight = order.inFlight ?? policy.inFlight;
  const unproven = order.unproven ?? policy.unproven;
  if (inFlight < 1 || unproven < inFlight) {
    return orderRefused(state, 'unproven must be at least in flight, and that at least 1');
  }
  const lower = withLimits(state, {
    inFlight: Math.min(inFlight, policy.inFlight),
    unproven: Math.min(unproven, policy.unproven),
  });
  // The last word about limits is the one that counts: what was asked for before would undo it once it is approved.
  const asked = higherLimits({ inFlight, unproven }, policy);
  if (asked.length === 0) return only({ ...lower, pendingLimits: null }, `set${dropped(state)}`);
  const by = { actor, ...signerIn(command) };
  const pendingLimits = { inFlight, unproven, asked, ...by, atMs: state.nowMs };
  const waits = only(
    { ...lower, pendingLimits },
    `higher limits wait for another person${dropped(state)}`,
  );
  return { ...waits, answer: { ...waits.answer, state: 'pending' } };
}

function dropped(state: FleetState): string {
  const before = awaitedLimits(state);
  return before === null
    ? ''
    : `; ${limitsText(before)}, which ${before.actor} asked for, are dropped`;
}

function withLimits(state: FleetState, limits: Partial<RolloutPolicy>): FleetState {
  return { ...state, policy: { ...state.policy, ...limits } };
}

/** Only the limits that were seen: between the question and the answer someone else may have asked for other ones. */
function approveLimits(
  state: FleetState,
  command: FleetCommand,
  { limits: seen }: Approve,
): OrderResult {
  const awaited = awaitedLimits(state);
  if (awaited === null) return orderRefused(state, 'no limits wait for approval');
  const { inFlight, unproven } = awaited;
  const why = notApprovedBecause(awaited, command, seen);
  if (why !== null) return orderRefused(state, why);
  const next = { ...withLimits(state, { inFlight, unproven }), pendingLimits: null };
  return only(next, `set: ${limitsText(awaited)}`);
}

function notApprovedBecause(
  awaited: PendingLimits,
  command: FleetCommand,
  seen: SeenLimits | undefined,
): string | null {
  const { actor, inFlight, unproven } = awaited;
  if (isFrom(awaited, command)) {
    const isNamed = isSamePerson(actor, command.actor);
    return `${actor} asked for these limits${isNamed ? '' : `, with the key of ${command.actor}`}`;
  }
  if (isUnkeyed(awaited, command)) {
    return `no key says that ${actor} is another: set them again`;
  }
  if (seen === undefined) {
    return `the approval does not say for which limits it is, as those of older versions do not: ${limitsText(awaited)} wait`;
  }
  if (seen.inFlight === inFlight && seen.unproven === unproven) return null;
  return `the approval is for ${limitsText(seen)}, and ${actor} asks for ${limitsText(awaited)}`;
}

/** Only a second person changes what the fleet may cost. */
export function setBudget(state: FleetState, command: FleetCommand, clusters: number): OrderResult {
  if (isRequester(state, command)) {
    return orderRefused(state, `${command.actor} asked for this fleet`);
  }
  if (clusters < 1) return orderRefused(state, 'the budget is at least 1');
  return only(withLimits(state, { budget: { ...state.policy.budget, clusters } }), 'set');
}
