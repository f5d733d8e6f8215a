import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { advance } from '../../../domain/run/advance.js';
import { answerOf, carryRun, restoredRun } from '../../../domain/run/begin-run.js';
import { totalsOf } from '../../../domain/run/run-status.js';
import type { RunState, StepRecord } from '../../../domain/run/run-state.js';
import {
  blocked,
  braked,
  CHECKED,
  command,
  does,
  finished,
  GivenRun,
  LOOKED,
  MEMBER,
  PARK,
  STARTED,
} from './given-run.js';

const held = (): GivenRun => new GivenRun([blocked()]).stepping();

describe('a run that continues as new', () => {
  it('a run that continues as new keeps fence, epoch, start, direction, approvals and hold, and decides again first', () => {
    const run = held().on(command('pause'));
    const carried = carryRun(run.state);
    const { fence, proofs, direction, operatorHold, policy } = run.state;
    expect(carried).toMatchObject({ fence, proofs, direction, operatorHold, policy });
    expect(carried.inFlight).toEqual({ kind: 'idle' });
    expect(advance(carried, STARTED).command).toEqual({ kind: 'awaitCommand' });
  });

  it('a run that continues as new keeps what its last change reported of its evidence', () => {
    const head = (records: number) => ({ records, hash: `sha256:${String(records)}` });
    const run = new GivenRun([does(), blocked()]).on(STARTED, CHECKED);
    run.on({ kind: 'fenceTaken', epoch: 1, evidence: head(2) });
    expect(run.state.evidence).toEqual(head(2));
    const step = finished();
    run.on(LOOKED, (given) => {
      const event = typeof step === 'function' ? step(given) : step;
      if (event.kind !== 'stepFinished') throw new Error('no step');
      return { ...event, report: { ...event.report, evidence: head(4) } };
    });
    expect(run.state.evidence).toEqual(head(4));
    expect(carryRun(run.state).evidence).toEqual(head(4));
    // An older worker reports none: what is known stays.
    run.on({ kind: 'fenceTaken', epoch: 2 });
    expect(run.state.evidence).toEqual(head(4));
  });

  it('a run that continues as new keeps the ties to its fleet, and one of an older build has none', () => {
    const run = new GivenRun([blocked()], {}, MEMBER).stepping().on(braked(), PARK);
    const carried = restoredRun(carryRun(run.state));
    expect(carried.membership).toEqual(run.state.membership);
    expect(advance(carried, STARTED).command).toEqual({ kind: 'awaitCommand' });
    const { membership, ...older } = carryRun(run.state);
    expect(membership.of).toEqual(MEMBER);
    const restored = restoredRun(older);
    expect(restored.membership).toMatchObject({ of: null, slot: 'held', brakes: [] });
    expect(advance(restored, STARTED).command.kind).toBe('awaitChange');
  });

  it('a run that continues as new applies no command twice, however many came in between', () => {
    const run = held();
    const first = command('pause');
    run.on(first, command('resume'));
    for (let count = 0; count < 150; count += 1) run.on(command('pause'), command('resume'));
    const carried = carryRun(run.state);
    expect(Object.keys(carried.commands.answers)).toHaveLength(100);
    expect(carried.commands.older).toHaveLength(202);
    run.state = carryRun(carried);
    expect(run.on(first).last).toEqual({ kind: 'continue' });
    expect(run.state.operatorHold.kind).toBe('none');
    expect(answerOf(run.state.commands, first.command.commandId)).toMatchObject({
      state: 'refused',
    });
    expect(answerOf(run.state.commands, 'never sent')).toBeNull();
    const late = command('pause');
    expect(answerOf(run.on(late).state.commands, late.command.commandId)?.state).toBe('pending');
  });

  it('a run that continues as new keeps the answer of each command that is still waited for', () => {
    const run = new GivenRun([does()]).stepping();
    const waiting = command('pause');
    run.on(waiting);
    const many = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`x-${String(at)}`, { state: 'applied', detail: '' }]),
    ) as RunState['commands']['answers'];
    const { commands } = run.state;
    const answers = { ...commands.answers, ...many };
    const carried = carryRun({ ...run.state, commands: { ...commands, answers } });
    expect(carried.commands.answers[waiting.command.commandId]).toMatchObject({ state: 'pending' });
  });

  it('a run that continues as new keeps its totals, whichever steps it forgets', () => {
    fc.assert(
      fc.property(fc.nat(120), fc.nat(120), (before, after) => {
        const run = new GivenRun([does()]).stepping();
        const [record] = run.on(finished()).state.done.steps;
        if (record === undefined) throw new Error('no step');
        const steps = (count: number): readonly StepRecord[] =>
          Array<typeof record>(count).fill(record);
        const withSteps = (state: RunState, all: readonly StepRecord[]): RunState => ({
          ...state,
          done: { ...state.done, steps: all },
        });
        const first = carryRun(withSteps(run.state, steps(before)));
        const second = carryRun(withSteps(first, [...first.done.steps, ...steps(after)]));
        expect(second.done.steps.length).toBeLessThanOrEqual(50);
        expect(totalsOf(second.done)).toEqual({
          steps: before + after,
          orphanMs: 3 * (before + after),
          mutations: before + after,
        });
      }),
      { numRuns: 50 },
    );
  });
});
