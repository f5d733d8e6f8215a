import { isSamePerson } from '../run/same-person.js';
import { orderApplied, orderRefused, type OrderResult } from './order-result.js';
import type { ApprovalSubject, FleetCommand, FleetOrder } from './fleet-command.js';
import type { RolloutPolicy } from './fleet-plan.js';
import type { Approval, FleetState, Wave } from './fleet-state.js';

type Approve = Extract<FleetOrder, { verb: 'approve' }>;
type SetLimits = Extract<FleetOrder, { verb: 'set' }>;

const ONE = { applied: 1, refused: 0 };

function only(state: FleetState, detail: string): OrderResult {
  return orderApplied({ state, actions: [] }, ONE, detail);
}

/** Never from the person who asked, and only for the plan and revision that were seen. */
export function approveInFleet(
  state: FleetState,
  { actor }: FleetCommand,
  order: Approve,
): OrderResult {
  const { subject, planDigest, revision } = order;
  if (planDigest !== state.planDigest || revision !== state.revision) {
    return orderRefused(state, 'the approval is for another plan or revision');
  }
  if (subject.kind === 'limits') return approveLimits(state, actor);
  if (isSamePerson(actor, state.requester)) {
    return orderRefused(state, `${actor} asked for this fleet`);
  }
  const wave = state.waves[subject.wave];
  if (wave === undefined) return orderRefused(state, 'there is no such wave');
  if (!mayWait(wave, subject.kind)) return orderRefused(state, 'nothing waits for this approval');
  if (!isApprover(wave, actor)) return orderRefused(state, `${actor} is no approver of this wave`);
  const quorum = wave.approvals[subject.kind];
  const given = approvalsOf(wave, subject.kind).filter(
    ({ atMs }) => state.nowMs < atMs + state.policy.approvalExpiryMs,
  );
  if (given.length >= quorum) return orderRefused(state, 'nothing waits for this approval');
  if (given.some((each) => isSamePerson(each.actor, actor))) {
    return orderRefused(state, `${actor} has approved it`);
  }
  const approvals = [...given, { actor, atMs: state.nowMs }];
  const next = withWave(state, { ...withApprovals(wave, subject.kind, approvals), rejected: null });
  return only(next, `${approvals.length} of ${quorum} approvals`);
}

function isApprover({ approvers }: Wave, actor: string): boolean {
  return approvers === null || approvers.some((each) => isSamePerson(each, actor));
}

/** A wave that has begun waits for no approval to begin; who wants to stop it pauses it. */
function mayWait({ approvals, begunMs, over }: Wave, when: 'before' | 'after'): boolean {
  return approvals[when] > 0 && !over && (when === 'after' || begunMs === null);
}

function approvalsOf(wave: Wave, when: 'before' | 'after'): readonly Approval[] {
  return when === 'before' ? wave.approvedBefore : wave.approvedAfter;
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
  if (wave.begunMs === null && !wave.early) {
    return only(withWave(state, { ...wave, early: true }), 'it begins before its turn');
  }
  if (wave.opened) return orderRefused(state, 'it is open');
  return only(withWave(state, { ...wave, opened: true }), 'open to all its clusters');
}

/** Lower limits apply at once; no run is interrupted. Higher ones wait for another person. */
export function setLimits(
  state: FleetState,
  { actor }: FleetCommand,
  order: SetLimits,
): OrderResult {
  const { policy } = state;
  const inFlight = order.inFlight ?? policy.inFlight;
  const unproven = order.unproven ?? policy.unproven;
  if (inFlight < 1 || unproven < inFlight) {
    return orderRefused(state, 'unproven must be at least in flight, and that at least 1');
  }
  const lower = withLimits(state, {
    inFlight: Math.min(inFlight, policy.inFlight),
    unproven: Math.min(unproven, policy.unproven),
  });
  if (inFlight <= policy.inFlight && unproven <= policy.unproven) return only(lower, 'set');
  const pendingLimits = { inFlight, unproven, actor, atMs: state.nowMs };
  const waits = only({ ...lower, pendingLimits }, 'higher limits wait for another person');
  return { ...waits, answer: { ...waits.answer, state: 'pending' } };
}

function withLimits(state: FleetState, limits: Partial<RolloutPolicy>): FleetState {
  return { ...state, policy: { ...state.policy, ...limits } };
}

function approveLimits(state: FleetState, actor: string): OrderResult {
  const { pendingLimits, policy, nowMs } = state;
  if (pendingLimits === null || nowMs >= pendingLimits.atMs + policy.approvalExpiryMs) {
    return orderRefused(state, 'no limits wait for approval');
  }
  if (isSamePerson(actor, pendingLimits.actor)) {
    return orderRefused(state, `${actor} asked for these limits`);
  }
  const { inFlight, unproven } = pendingLimits;
  return only({ ...withLimits(state, { inFlight, unproven }), pendingLimits: null }, 'set');
}

/** Only a second person changes what the fleet may cost. */
export function setBudget(
  state: FleetState,
  { actor }: FleetCommand,
  clusters: number,
): OrderResult {
  if (isSamePerson(actor, state.requester)) {
    return orderRefused(state, `${actor} asked for this fleet`);
  }
  if (clusters < 1) return orderRefused(state, 'the budget is at least 1');
  return only(withLimits(state, { budget: { ...state.policy.budget, clusters } }), 'set');
}
