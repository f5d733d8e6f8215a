import { describe, expect, it } from '@jest/globals';
import { runStatus } from '../../../domain/run/run-status.js';
import { command, DONE, does, finished, GivenRun, PASS, soaked, verdict } from './given-run.js';

const QUIET = verdict({
  ...{ gate: 'nodeSyncErrors', hardness: 'soft', verdict: 'inconclusive', noted: true },
  ...{ detail: '0 of 34 events: harm of 10 % would show', code: 'CCM3102' },
});
const NOTES = [{ gate: QUIET.gate, detail: QUIET.detail }];

const soaking = (): GivenRun =>
  new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());

describe('what gates could not see', () => {
  it('is in the status and in the outcome of the run, and holds nothing', () => {
    const run = soaking();
    expect(runStatus(run.state)).not.toHaveProperty('notes');
    run.on(soaked([PASS, QUIET]));
    expect(runStatus(run.state)).toMatchObject({ notes: NOTES, gates: [], holdReason: 'none' });
    run.rule(DONE).on(finished());
    expect(run.state.inFlight).toMatchObject({
      kind: 'ended',
      outcome: { kind: 'done', notes: NOTES },
    });
  });

  it('is absent where every gate saw enough', () => {
    const run = soaking().on(soaked([PASS]));
    expect(run.state.proofs.notes).toEqual([]);
    expect(runStatus(run.state)).not.toHaveProperty('notes');
  });

  it('is replaced by the next measurement, and dropped by a turn', () => {
    const run = soaking().on(soaked([PASS, QUIET], 4000));
    expect(run.state.proofs.notes).toEqual(NOTES);
    run.on(soaked([PASS], 5000));
    expect(run.state.proofs.notes).toEqual([]);
    run.on(soaked([PASS, QUIET], 6000));
    const late = soaked([PASS, QUIET], 7000);
    const event = typeof late === 'function' ? late(run) : late;
    run.on(command('rollBack'), event);
    expect(run.state.proofs.notes).toEqual([]);
  });

  it('is unknown to a run of an older build', () => {
    const { state } = soaking();
    const { notes: _notes, ...proofs } = state.proofs;
    expect(runStatus({ ...state, proofs })).not.toHaveProperty('notes');
  });
});
