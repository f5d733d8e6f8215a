import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { advance } from '../../../domain/run/advance.js';
import { VERB_NAMES } from '../../../domain/run/operator-verbs.js';
import type { NextAction, RunEvent, RunState } from '../../../domain/run/run-state.js';
import { FAILURES, isFailureType, type FailureType } from '../../../domain/failures.js';
import type { Decision } from '../../../domain/decision/step.js';
import {
  blocked,
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

/** What may arrive from outside at any moment. */
const outside = fc.oneof(
  fc
    .record({
      verb: fc.constantFrom(...VERB_NAMES),
      code: fc.constantFrom('CCM2013', 'CCM3012', 'CCM3001'),
    })
    .map(({ verb, code }): RunEvent => command(verb, { arguments: { code } })),
  fc.constant<RunEvent>({ kind: 'cancelled' }),
  verdicts.map(([first]): RunEvent => ({ kind: 'guardBreach', verdict: first ?? verdict() })),
  fc.constant<RunEvent>({ kind: 'guardEnded', why: 'lost' }),
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
  onBreach: fc.constantFrom('hold', 'rollBack'),
  handoverApproval: fc.constantFrom('required', 'notRequired'),
  soakSeconds: fc.constantFrom(0, 9),
});

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

function checkStep(before: RunState, event: RunEvent, next: NextAction, after: RunState): void {
  if (next.kind === 'runStep') {
    must(after.operatorHold.kind === 'none', 'a step against a hold', after.operatorHold.kind);
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

function checkTurn(before: RunState, event: RunEvent, next: NextAction, after: RunState): void {
  if (after.direction.target === before.direction.target) return;
  const asked = before.commands.queue.concat(
    event.kind === 'commandReceived' ? [event.command] : [],
  );
  const byPerson = asked.some(({ verb }) => verb === 'rollBack' || verb === 'rollForward');
  must(
    byPerson || after.policy.onBreach === 'rollBack',
    'a change of direction without a request',
    event,
  );
  const fenced = after.pending.fence || next.kind === 'takeFence' || next.kind === 'finish';
  must(fenced, 'a turn with the old epoch', next);
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
      fc.property(turns, policies, (all, policy) => {
        const run = new GivenRun([], policy);
        const waitCount = { forChange: false, rests: false };
        const happens = (given: GivenEvent, decision: Decision): void => {
          run.rule(decision);
          const event = typeof given === 'function' ? given(run) : given;
          const before = run.state;
          const next = advance(before, event);
          checkStep(before, event, next.command, next.state);
          checkTurn(before, event, next.command, next.state);
          checkAnswers(before, next.state);
          run.state = next.state;
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
