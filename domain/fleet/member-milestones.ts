import { FAILURE_CODES } from '../findings/failure-codes.js';
import { NOTHING_REPORTED, withTies, type Reported } from '../run/fleet-ties.js';
import { isPaused, ownPause } from '../run/alert-pauses.js';
import { heals } from '../run/holds.js';
import type { Membership } from '../run/membership.js';
import type { RunOutcome } from '../run/outcome.js';
import { MAX_TRIES, hasStepped, mayHaveWritten } from '../run/resume-loop.js';
import type { HoldReason, RunState } from '../run/run-state.js';
import { reversibilityText } from '../run/run-status.js';
import { PAUSED } from './awaited-word.js';
import type { MemberReport, ReportKind } from './fleet-events.js';
import { FORWARD } from './fleet-plan.js';
import type { RowReversibility } from './fleet-state.js';

/** A run that has reported, with what it has to send. */
export interface Reporting {
  readonly state: RunState;
  readonly reports: readonly MemberReport[];
}

/** All that a member has to tell its fleet now, in order; each is told once in a grant. */
export function memberReports(state: RunState): Reporting {
  const reports: MemberReport[] = [];
  let current = withoutPastHold(state);
  for (;;) {
    const what = nextReport(current);
    const { of, sequence } = current.membership;
    if (what === null || of === null) return { state: current, reports };
    const { fleetRun, row, grant } = of;
    reports.push({ fleetRun, row, grant, sequence: sequence + 1, what });
    current = withTies(current, {
      sequence: sequence + 1,
      reported: afterReport(current.membership.reported, what),
    });
  }
}

/** The end of a run whose input is refused, as it reports it, and as others find it. */
export const INPUT_REFUSED = {
  ...({ kind: 'ended', outcome: 'refused', signature: FAILURE_CODES.InvalidInput } as const),
  ...({ changed: false, asked: false, reversibility: 'unknown' } as const),
};

/** The one report of such a run. */
export function refusedBeforeStart({ fleetRun, row, grant }: Membership): MemberReport {
  return { fleetRun, row, grant, sequence: 1, what: INPUT_REFUSED };
}

/** A hold that needed judgement is over without a report as soon as the run goes on: the fleet asks for it, or parks it. */
function withoutPastHold(state: RunState): RunState {
  const { reported } = state.membership;
  if (reported.hold === null || reported.hold.heals || !goesOn(state)) return state;
  return withTies(state, { reported: { ...reported, hold: null } });
}

function goesOn({ inFlight, problems }: RunState): boolean {
  return (
    problems.holdReason === null && (inFlight.kind === 'stepping' || inFlight.kind === 'soaking')
  );
}

/**
 * What the fleet has not been told yet, compared with what it has: so nothing is lost when a run is adopted, gets a new
 * grant or continues as new. The end comes after a turn, and before all else.
 */
export function nextReport(state: RunState): ReportKind | null {
  const { of, reported } = state.membership;
  if (of === null || reported.ended) return null;
  return endDue(state) ?? turnDue(state) ?? holdDue(state) ?? slotDue(state) ?? progressDue(state);
}

function afterReport(reported: Reported, what: ReportKind): Reported {
  switch (what.kind) {
    case 'soaking':
      return { ...reported, soaking: true, hold: null };
    case 'held':
      return { ...reported, hold: { cause: causeOf(what), heals: what.heals }, ready: false };
    case 'parked':
      return { ...reported, parked: true };
    case 'ready':
      return { ...reported, ready: true, hold: null };
    case 'turned':
      return { ...NOTHING_REPORTED, target: what.target };
    case 'ended':
      return { ...reported, ended: true };
  }
}

function endDue(state: RunState): ReportKind | null {
  const { inFlight, membership } = state;
  if (inFlight.kind !== 'ended') return null;
  const { outcome } = inFlight;
  const end = memberEndOf(outcome);
  return {
    kind: 'ended',
    outcome: end,
    signature: signatureOfEnd(state, outcome),
    asked: end === 'back' ? membership.turnedByPerson : end === 'stopped',
    ...standing(state),
  };
}

type End = Extract<ReportKind, { kind: 'ended' }>['outcome'];

/** What an outcome is to a fleet. */
export function memberEndOf({ kind, failureType }: Pick<RunOutcome, 'kind' | 'failureType'>): End {
  switch (kind) {
    case 'done':
      return 'proven';
    case 'rolledBack':
      return 'back';
    case 'stopped':
    case 'failed':
      return kind;
    case 'refused':
      if (failureType === 'StalePlan') return 'drifted';
      return failureType === 'AlreadyRunning' ? 'busy' : 'refused';
  }
}

/** A finding's code at the beginning of a refusal says more than the code of the refusal. */
function signatureOfEnd(state: RunState, { kind, findings, summary }: RunOutcome): string {
  switch (kind) {
    case 'done':
      return '';
    case 'rolledBack':
      return turnSignature(state);
    case 'refused':
      return codeIn([summary, ...findings.map(({ code }) => code)].join(' '));
    case 'stopped':
    case 'failed': {
      const { holdReason } = state.problems;
      return holdReason === null ? '' : signatureOfHold(state, holdReason);
    }
  }
}

function codeIn(text: string): string {
  return /CCM\d{4}/.exec(text)?.[0] ?? '';
}

/** Why the run's own policy turned it. */
function turnSignature({ membership, direction }: RunState): string {
  return membership.turnedByPerson ? '' : codeIn(direction.requestedBy.reason);
}

function turnDue(state: RunState): ReportKind | null {
  const { direction, membership } = state;
  const { ordered, reported, turnedByPerson } = membership;
  const { target } = direction;
  if (target === (reported.target ?? ordered)) return null;
  const signature = turnSignature(state);
  return { kind: 'turned', target, byPerson: turnedByPerson, signature, ...standing(state) };
}

function holdDue(state: RunState): ReportKind | null {
  const hold = currentHold(state);
  const known = state.membership.reported.hold;
  if (hold === null || causeOf(hold) === known?.cause) return null;
  return { kind: 'held', ...hold, ...standing(state) };
}

interface CurrentHold {
  readonly heals: boolean;
  readonly signature: string;
}

/** Without the step: a wait may see another one due while the cause stays. */
function causeOf({ heals: ends, signature }: CurrentHold): string {
  return `${ends ? 'heals' : 'judgement'} ${signature.split(' ', 1).join('')}`;
}

/** What keeps the run from its next step. A brake is the fleet's own. */
function currentHold(state: RunState): CurrentHold | null {
  const { problems, pending } = state;
  const { holdReason } = problems;
  if (holdReason !== null && !pending.recovery && lasts(state, holdReason)) {
    const ends = heals(holdReason) || holdReason.kind === 'approval';
    return { heals: ends, signature: signatureOfHold(state, holdReason) };
  }
  return ownPause(state) !== null ? { heals: true, signature: PAUSED } : null;
}

/** Workers and guards come and go: only one that stays away is worth a report. */
function lasts({ attempts, membership }: RunState, { kind }: HoldReason): boolean {
  if (kind !== 'unserved' || membership.slot === 'givenBack') return true;
  return attempts.waits > 0 || attempts.unserved > MAX_TRIES;
}

/** The deepest finding and the step: equal for clusters that are held by the same cause. */
function signatureOfHold(state: RunState, { kind, findings }: HoldReason): string {
  const step = kind === 'blocked' ? '' : stepOf(state);
  return [findings[0].code, step].filter((part) => part !== '').join(' ');
}

function stepOf({ observed, done }: RunState): string {
  const next = observed?.decision.next;
  if (next?.kind === 'step') return next.planned.step.name;
  return next?.kind === 'done' && hasStepped(done) ? 'soak' : '';
}

function slotDue(state: RunState): ReportKind | null {
  const { slot, reported } = state.membership;
  if (slot === 'held') return null;
  if (!reported.parked) return { kind: 'parked' };
  const isReady = state.inFlight.kind === 'held' && currentHold(state) === null;
  return isReady && !reported.ready ? { kind: 'ready' } : null;
}

/** A stall is over as soon as the run goes on, and not when it merely looks again. */
function progressDue(state: RunState): ReportKind | null {
  const { inFlight, membership } = state;
  if (membership.slot === 'givenBack' || isPaused(state) || currentHold(state) !== null)
    return null;
  if (isLastSoak(state) && !membership.reported.soaking) return { kind: 'soaking' };
  const goesOn = inFlight.kind === 'stepping' || inFlight.kind === 'soaking';
  return goesOn && membership.reported.hold?.heals === true ? { kind: 'ready' } : null;
}

/** A soak after which only what needs no other soak remains; the change of the cluster is done. */
function isLastSoak({ inFlight, direction, observed }: RunState): boolean {
  if (inFlight.kind !== 'soaking' || inFlight.soakMs === 0) return false;
  const next = observed?.decision.next;
  const isLast = next?.kind === 'done' || (next?.kind === 'step' && next.planned.keepsProof);
  return direction.target === FORWARD && isLast;
}

interface Standing {
  readonly changed: boolean;
  readonly reversibility: RowReversibility;
}

/** `changed`: the run has changed its cluster, or that cannot be excluded. */
function standing(state: RunState): Standing {
  return {
    changed: mayHaveWritten(state),
    reversibility: reversibilityIn(reversibilityText(state)),
  };
}

/**
 * What blocks a rollback only as long as it lasts: a part, a node or etcd that cannot be read or reached, the quorum, a paused
 * process, an API server that is older for the moment, Nodes that the API does not list, or not any more. All else is taken as final.
 */
const PASSING = /^(CCM2001|CCM2004|CCM2005|CCM2006|CCM2010|CCM2011|CCM2017|CCM2020)\b/;
const BLOCKED = 'not possible now: ';

/** The words of `reversibilityOf` as a value; others are unknown. */
export function reversibilityIn(text: string): RowReversibility {
  if (text.startsWith(BLOCKED)) return PASSING.test(text.slice(BLOCKED.length)) ? 'later' : 'no';
  if (text.startsWith('possible, once ')) return 'notes';
  return /^possible[:;] /.test(text) ? 'yes' : 'unknown';
}
