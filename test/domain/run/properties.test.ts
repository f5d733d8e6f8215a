import type { BreachRule } from '../../../domain/policy.js';
import { isPausedByPerson } from '../../../domain/run/alert-pauses.js';
import { withTurnTimed } from '../../../domain/run/turn-time.js';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { advance } from '../../../domain/run/advance.js';
import type { MemberOrder } from '../../../domain/run/membership.js';
import { VERB_NAMES } from '../../../domain/run/operator-verbs.js';
import type { NextAction, RunEvent, RunState } from '../../../domain/run/run-state.js';
import { FAILURES, isFailureType, type FailureType } from '../../../domain/failures.js';
import type { Decision } from '../../../domain/decision/step.js';
import {
  blocked,
  BY,
  changeSeen,
  command,
  does,
  DONE,
  CHECKED,
  failed,
  finished,
  GivenRun,
  observed,
  type GivenEvent,
  MEMBER,
  order,
  PASS,
  soaked,
  verdict,
} from './given-run.js';
import type { RunChange } from '../../../domain/run/results.js';

const FAILURE_TYPES: readonly FailureType[] = Object.keys(FAILURES).filter(isFailureType);

const decisions = fc.constantFrom<Decision>(
  DONE,
  does(),
  does(),
  does('finishManifest'),
  does('externalizeKcm', { phase: 'replaceNodes' }),
  does('disableLeaderMigration', { phase: 'disableLeaderMigration' }),
  does('stopSecondOwner', { phase: 'repair', cures: ['CCM3001'] }),
  blocked(),
  blocked('CCM2007'),
  blocked('CCM2013'),
);

const verdicts = fc.array(
  fc.constantFrom(PASS, verdict(), verdict({ hardness: 'soft', gate: 'errors', code: 'CCM3012' })),
  { maxLength: 2 },
);

const by = { by: BY } as const;
const ALERT = 'automation/am';

/** Orders of the fleet, also late ones, in any grant. */
const orders = fc
  .record({
    given: fc.constantFrom<MemberOrder>(
      { kind: 'park' },
      { kind: 'park' },
      { kind: 'grant', target: 'ccm', ...by },
      { kind: 'turn', target: 'kcm', byPerson: true, ...by },
      { kind: 'turn', target: 'ccm', byPerson: false, ...by },
      { kind: 'withdraw', ...by },
      { kind: 'brake', commandId: 'a', ...by },
      { kind: 'brake', commandId: 'b', ...by },
      { kind: 'release', commandId: 'a', ...by },
      { kind: 'release', commandId: 'b', ...by },
    ),
    grant: fc.nat(9),
    row: fc.constantFrom(MEMBER.row, MEMBER.row, MEMBER.row, 99),
  })
  .map(({ given, grant, row }): RunEvent => order(given, { grant, row }));

/** When every pending turn was noted. */
const NOTED_MS = 1_700_000_000_000;

/** What automation asks of the run or of its fleet. */
const alerts = fc.constantFrom<RunEvent>(
  { ...command('pause', { actor: ALERT }), yields: 'toPolicy' },
  { ...command('rollBack', { actor: ALERT }), yields: 'toPolicy' },
  {
    ...order({ kind: 'brake', commandId: 'c', by: { actor: ALERT, reason: 'r' } }),
    yields: 'toPolicy',
  },
  order({ kind: 'release', commandId: 'c', ...by }),
);

/** What may arrive from outside at any moment. */
const outside = fc.oneof(
  { weight: 2, arbitrary: orders },
  fc
    .record({
      verb: fc.constantFrom(...VERB_NAMES),
      code: fc.constantFrom('CCM2013', 'CCM3012', 'CCM3001'),
    })
    .map(({ verb, code }): RunEvent => command(verb, { arguments: { code } })),
  alerts,
  fc.constant<RunEvent>({ kind: 'cancelled' }),
  verdicts.map(([first]): RunEvent => ({ kind: 'guardBreach', verdict: first ?? verdict() })),
  fc.constant<RunEvent>({ kind: 'guardEnded', why: 'lost' }),
  fc.constant<RunEvent>({ kind: 'turnDue', sinceMs: NOTED_MS }),
);

interface Turn {
  readonly decision: Decision;
  readonly outside: readonly RunEvent[];
  readonly failure: FailureType | null;
  readonly verdicts: Parameters<typeof finished>[0];
  readonly version: number;
  readonly guarded: boolean;
  readonly wait: RunChange['ended'];
}

const turns = fc.array(
  fc.record<Turn>({
    decision: decisions,
    outside: fc.array(outside, { maxLength: 2 }),
    failure: fc.option(fc.constantFrom(...FAILURE_TYPES), { freq: 3 }),
    verdicts,
    version: fc.nat(3),
    guarded: fc.boolean(),
    wait: fc.constantFrom('changed', 'healed', 'guarded', 'timeUp'),
  }),
  { maxLength: 30 },
);

const policies = fc.record({
  onBreach: fc.constantFrom<BreachRule>('hold', 'rollBack', { holdThenRollBackMs: 5000 }),
  handoverApproval: fc.constantFrom('required', 'notRequired'),
  soakSeconds: fc.constantFrom(0, 9),
});

/** `outlasts`: absent in runs that an older build began. */
const kinds = fc.record({ isMember: fc.boolean(), outlasts: fc.boolean() });

const NEVER_RAN: readonly FailureType[] = ['NoWorker', 'Unguarded', 'UnknownStep'];

/** How what is in flight ends, if it does. */
function ending(inFlight: RunState['inFlight'], turn: Turn, epoch: number): GivenEvent | null {
  const { failure } = turn;
  if (inFlight.kind === 'idle') return { kind: 'started' };
  if (inFlight.kind === 'ended') return null;
  if (failure !== null && inFlight.kind !== 'held') {
    return failed(failure, { neverRan: NEVER_RAN.includes(failure) });
  }
  switch (inFlight.kind) {
    case 'takingFence':
      return { kind: 'fenceTaken', epoch: epoch + 1 };
    case 'checking':
      return CHECKED;
    case 'observing':
      return observed(turn.version, turn.guarded);
    case 'stepping':
      return finished(turn.verdicts, turn.version);
    case 'soaking':
      return soaked(turn.verdicts);
    case 'held':
      return null;
  }
}

/** Reports a violation, more cheaply than an expectation for each event. */
function must(holds: boolean, what: string, seen: unknown): void {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(seen)}`);
}

/** An alert's pause holds what goes forward. */
function holds({ operatorHold: hold, direction: { target } }: RunState): boolean {
  const yields = hold.kind === 'pause' && hold.yields !== undefined && target === 'kcm';
  return hold.kind !== 'none' && !yields;
}

function checkStep(before: RunState, event: RunEvent, next: NextAction, after: RunState): void {
  if (next.kind === 'runStep') {
    must(!holds(after), 'a step against a hold', after.operatorHold);
    must(
      !after.pending.fence && after.fence.epoch > 0,
      'a step before the fence was taken',
      after.pending,
    );
    must(!after.pending.check, 'a step before anything was checked', after.pending);
    must(after.observed?.guarded === true, 'a step without a guard', after.observed);
    must(
      after.observed?.decision.revision === after.direction.revision,
      'a stale decision',
      after.observed,
    );
  }
  if (before.inFlight.kind === 'ended') must(next.kind === 'continue', 'life after the end', next);
  if (before.inFlight.kind === 'stepping' && event.kind === 'activityFailed') {
    const { neverRan } = event.failure;
    must(neverRan || next.kind === 'takeFence', 'a failed step without a new fence', next);
  }
}

/** A parked run changes nothing, nor does one under a brake; only what was cut off is finished. */
function checkSlot(
  before: RunState,
  next: NextAction,
  { membership, direction: { target } }: RunState,
): void {
  const { slot, brakes } = membership;
  const finishes = before.pending.recovery && (next.kind === 'takeFence' || isRecovery(next));
  const works = ['runStep', 'takeFence', 'soak', 'check'].includes(next.kind) && !finishes;
  must(!works || slot === 'held', 'work without a slot', next);
  const isHeld = target === 'ccm' || brakes.some(({ yields }) => yields === undefined);
  must(!works || brakes.length === 0 || !isHeld, 'work against a brake', next);
}

function isRecovery(next: NextAction): boolean {
  return next.kind === 'runStep' && next.planned.recovers;
}

/** Only the fleet gives and takes a slot and brakes, except that a person, and a turn whose time is up, roll back without one. */
function checkTies(before: RunState, event: RunEvent, after: RunState): void {
  const [was, is] = [before.membership, after.membership];
  const ordered = event.kind === 'orderReceived' || was.orders.length > 0;
  const rollsBack = event.kind === 'commandReceived' && event.command.verb === 'rollBack';
  const takesSlot = rollsBack || hasTurnedInTime(before, event, after);
  must(ordered || is.brakes === was.brakes, 'a brake without an order', event);
  must(ordered || takesSlot || is.slot === was.slot, 'a slot without an order', event);
  if (was.of === null || is.of === null) return;
  must(is.of.grant >= was.of.grant, 'a grant that falls', is.of);
  must(is.of.grant === was.of.grant || is.sequence === 0, 'a count that goes on', is);
}

function checkTurn(before: RunState, event: RunEvent, next: NextAction, after: RunState): void {
  if (after.direction.target === before.direction.target) return;
  const asked = before.commands.queue.concat(
    event.kind === 'commandReceived' ? [event.command] : [],
  );
  const byPerson = asked.some(({ verb }) => verb === 'rollBack' || verb === 'rollForward');
  const byFleet = event.kind === 'orderReceived' || before.membership.orders.length > 0;
  const { onBreach } = after.policy;
  must(
    byPerson || byFleet || isTimeUp(before, event) || onBreach === 'rollBack',
    'a change of direction without a request',
    event,
  );
  const fenced = after.pending.fence || next.kind === 'takeFence' || next.kind === 'finish';
  must(fenced, 'a turn with the old epoch', next);
}

function hasTurnedInTime(before: RunState, event: RunEvent, after: RunState): boolean {
  return isTimeUp(before, event) && after.direction.target !== before.direction.target;
}

/** A person's pause would have dropped it. */
function isTimeUp(before: RunState, { kind }: RunEvent): boolean {
  return kind === 'turnDue' && before.pendingTurn !== undefined && !isPausedByPerson(before);
}

function checkAnswers(before: RunState, after: RunState): void {
  for (const [id, { state }] of Object.entries(before.commands.answers)) {
    const told = after.commands.answers[id]?.state;
    must(state === 'pending' || told === state, 'a command answered twice', [id, state, told]);
  }
}

describe('whatever happens, in any order', () => {
  it('no step starts against a hold, directions change by command or policy only, commands apply once', () => {
    fc.assert(
      fc.property(turns, policies, kinds, (all, policy, { isMember, outlasts }) => {
        const run = new GivenRun([], policy, isMember ? MEMBER : null);
        const waitCount = { forChange: false, rests: false };
        const happens = (given: GivenEvent, decision: Decision): void => {
          run.rule(decision);
          const event = typeof given === 'function' ? given(run) : given;
          const before = run.state;
          const next = advance(before, event);
          checkStep(before, event, next.command, next.state);
          checkSlot(before, next.command, next.state);
          checkTies(before, event, next.state);
          checkTurn(before, event, next.command, next.state);
          checkAnswers(before, next.state);
          run.state = withTurnTimed(next.state, () => ({ nowMs: NOTED_MS, outlasts }));
          if (next.command.kind === 'continue') return;
          waitCount.forChange = next.command.kind === 'awaitChange';
          waitCount.rests = next.command.kind === 'rest';
        };
        for (const turn of all) {
          // Each message twice: it may be sent again, and must not count again.
          for (const event of turn.outside) {
            happens(event, turn.decision);
            happens(event, turn.decision);
          }
          const event = waitCount.forChange
            ? changeSeen(turn.wait)
            : waitCount.rests
              ? { kind: 'rested' as const }
              : ending(run.state.inFlight, turn, run.state.fence.epoch);
          if (event !== null) happens(event, turn.decision);
        }
        const { state } = run;
        expect(JSON.parse(JSON.stringify(state))).toStrictEqual(state);
        if (state.inFlight.kind !== 'ended') return;
        const { clusterState, nextCommand } = state.inFlight.outcome;
        must(
          clusterState !== '' && nextCommand.includes('ccm-migrate'),
          'an end without words',
          state,
        );
        const pending = Object.values(state.commands.answers).filter(
          (answer) => answer.state === 'pending',
        );
        must(pending.length === 0, 'a command left pending', pending);
      }),
      { numRuns: 1000 },
    );
  });
});
