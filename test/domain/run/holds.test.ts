import { describe, expect, it } from '@jest/globals';
import { deepestCause } from '../../../domain/gates/verdicts.js';
import {
  blocked,
  changeSeen,
  CHECKED,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  observed,
  PASS,
  soaked,
  STARTED,
  verdict,
} from './given-run.js';

const NOT_READY = verdict({ gate: 'nodesReady', code: 'CCM3005', detail: 'not Ready: cp-2' });
const NOT_READ = verdict({ verdict: 'error', detail: 'could not be read' });
const LOST = verdict({ gate: 'addressesKept', code: 'CCM3009' });

describe('what the environment caused ends by itself', () => {
  it.each([
    ['a node that is not Ready', NOT_READY],
    ['an owner that could not be read', NOT_READ],
    ['no owner for too long', verdict({ gate: 'someOwner', code: 'CCM3002' })],
    ['a manager in back-off', verdict({ gate: 'noCrashLoop', code: 'CCM3004' })],
    ['a quorum at risk', verdict({ gate: 'quorum', code: 'CCM3003' })],
    ['a lost address that could not be measured', { ...LOST, verdict: 'noData' as const }],
  ])('the gates are measured again and the run continues after %s', (_what, gate) => {
    const run = new GivenRun([does()]).stepping().on(finished([gate]));
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'gates', whoActs: 'environment' });
    expect(run.last).toMatchObject({ goal: { kind: 'healed', codes: [gate.code] } });
    run.on(changeSeen('healed'));
    expect(run.last).toEqual({ kind: 'soak', soakMs: 0 });
    expect(run.on(soaked()).last).toMatchObject({ kind: 'runStep' });
  });

  it.each([
    ['two owners', verdict()],
    ['a measured loss', LOST],
    ['a paused manager', verdict({ gate: 'noPausedManager', code: 'CCM3008' })],
  ])('a hold for %s waits for the operator', (_what, gate) => {
    const run = new GivenRun([does()]).stepping().on(finished([NOT_READY, gate]));
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'gates', whoActs: 'person' });
    expect(run.last).toEqual({ kind: 'awaitCommand' });
  });

  it('a hold that recurs has to stay healthy for longer, until a step succeeds', () => {
    const run = new GivenRun([does()]).stepping();
    for (let heals = 0; heals < 3; heals += 1) {
      run.on(failed('EffectNotSeen'), FENCED, LOOKED);
      expect(run.last).toMatchObject({ goal: { kind: 'healed', heals } });
      run.on(changeSeen('healed'), LOOKED);
      expect(run.last).toMatchObject({ kind: 'runStep' });
    }
    run.on(finished(), failed('EffectNotSeen'), FENCED, LOOKED);
    expect(run.last).toMatchObject({ goal: { heals: 0 } });
  });

  it('a verified result stays so unless gates had failed', () => {
    for (const [event, verified] of [
      [failed('EffectNotSeen'), true],
      [finished([NOT_READY]), false],
    ] as const) {
      const run = new GivenRun([
        does('disableLeaderMigration', { phase: 'disableLeaderMigration' }),
      ]);
      run.stepping().on(finished(), event);
      if (verified) run.on(FENCED, LOOKED);
      expect(run.on(changeSeen('healed')).state.proofs.verified).toBe(verified);
    }
  });

  it('a wait whose time was up is only repeated, for longer', () => {
    const run = new GivenRun([does()]).stepping().on(finished([NOT_READY]));
    expect(run.on(changeSeen('timeUp')).last).toMatchObject({ kind: 'awaitChange', waitCount: 1 });
    expect(run.state.problems.holdReason?.kind).toBe('gates');
  });

  it('healing acknowledges no breach: only the operator or a rollback by policy does', () => {
    const breach = { kind: 'guardBreach', verdict: NOT_READY } as const;
    const run = new GivenRun([does()]).stepping().on(breach, failed('Breach'), FENCED, LOOKED);
    expect(run.state.problems.breaches).toHaveLength(1);
    run.on(changeSeen('healed'));
    expect(run.state.problems.breaches).toEqual([]);
    expect(run.state.pending.acknowledge).toBe(false);

    const retried = new GivenRun([does()]).stepping().on(breach, failed('Breach'), FENCED, LOOKED);
    expect(retried.on(command('retry')).last).toMatchObject({ acknowledge: true });
    expect(retried.on(FENCED).state.pending.acknowledge).toBe(false);
    const turned = new GivenRun([does()]).stepping().on(command('rollBack'), finished());
    expect(turned.last).toMatchObject({ kind: 'takeFence', acknowledge: true });
  });

  it('a breach during a hold lets policy roll the run back', () => {
    const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    run.on(finished([NOT_READ]));
    expect(run.state.direction.target).toBe('ccm');
    run.on({ kind: 'guardBreach', verdict: verdict() });
    expect(run.state.direction.target).toBe('kcm');
  });
});

describe("only a measurement changes a run's direction", () => {
  it.each(['error', 'noData', 'inconclusive'] as const)(
    '%s holds instead of rolling back',
    (word) => {
      const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
      run.on(finished([verdict({ verdict: word })]));
      expect(run.state.direction.target).toBe('ccm');
      expect(run.state.problems.holdReason?.findings[0].code).toBe(
        word === 'noData' ? 'CCM3012' : 'CCM3011',
      );
    },
  );

  it('a failed gate beside others without a measurement rolls back, and is named alone', () => {
    const run = new GivenRun([does()], { onBreach: 'rollBack' }).stepping();
    run.on(finished([NOT_READ, NOT_READY]));
    expect(run.state.direction.requestedBy.reason).toMatch(/^nodesReady \(CCM3005\): [^;]+$/);
  });
});

describe('the deepest cause', () => {
  const nodes = verdict({ gate: 'nodesReady', verdict: 'error', code: 'CCM3005' });
  const quorum = verdict({ gate: 'quorum', verdict: 'error', code: 'CCM3003' });

  it('the deepest cause is shown first, and what could not be measured because of it is hidden', () => {
    expect(deepestCause([NOT_READ, quorum, nodes])).toEqual([nodes]);
    expect(deepestCause([LOST, NOT_READ, quorum])).toEqual([quorum, LOST]);
    expect(deepestCause([NOT_READ, LOST])).toEqual([NOT_READ, LOST]);
  });
});

describe('nothing is begun unguarded', () => {
  it('an unguarded run holds, and continues when a guard is there', () => {
    const run = new GivenRun([does()]).on(STARTED, CHECKED, FENCED, observed(0, false));
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'guarded' } });
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'unserved',
      findings: [{ code: 'CCM4028' }],
    });
    run.on(changeSeen('guarded'));
    expect(run.last).toMatchObject({ kind: 'observe' });
    expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
  });

  it('a run with nothing to do finishes without a guard', () => {
    const run = new GivenRun([DONE]).on(STARTED, CHECKED, FENCED, observed(0, false));
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'done' } });
  });

  it('an unguarded run does not complete a cut-off manifest either', () => {
    const run = new GivenRun([does()]).stepping().rule(does('finishManifest'));
    run.on(failed('Timeout'), FENCED, observed(0, false));
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'guarded' } });
  });
});

describe('a step that never ran', () => {
  const NEVER = { neverRan: true } as const;

  it('a step that never ran keeps its epoch and counts no attempt; pauses before the next one grow', () => {
    const run = new GivenRun([does()]).stepping();
    for (const restMs of [0, 1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      run.on(failed('NoWorker', NEVER));
      if (restMs > 0) {
        expect(run.last).toEqual({ kind: 'rest', ms: restMs });
        run.on({ kind: 'rested' });
      }
      expect(run.last).toMatchObject({ kind: 'observe', patient: true });
      expect(run.on(LOOKED).last).toMatchObject({ kind: 'runStep' });
    }
    expect(run.state).toMatchObject({ fence: { epoch: 1, requests: 1 }, done: { steps: [] } });
    expect(run.on(finished(), failed('NoWorker', NEVER)).last).toMatchObject({ kind: 'observe' });
  });

  it.each(['pause', 'stop', 'rollBack'] as const)(
    '%s takes effect while a step waits for a worker',
    (verb) => {
      const run = new GivenRun([does()]).stepping();
      run.on(failed('NoWorker', NEVER), LOOKED, failed('NoWorker', NEVER));
      expect(run.last).toMatchObject({ kind: 'rest' });
      const given = command(verb);
      run.on(given);
      expect(run.answer(given)).toMatch(/^applied/);
    },
  );
});

describe('waiting for a worker is a safe point', () => {
  it.each([
    ['the check', [STARTED]],
    ['the fence', [STARTED, CHECKED]],
    ['an observation', [STARTED, CHECKED, FENCED]],
  ])('a run that waits for a worker is at a safe point: %s', (_what, events) => {
    for (const [verb, kind] of [
      ['stop', 'finish'],
      ['pause', 'awaitCommand'],
    ] as const) {
      const run = new GivenRun([does()]).on(...events, command(verb));
      expect(run.last.kind).toBe(kind);
    }
    const turned = new GivenRun([does()]).on(...events, command('rollBack'));
    expect(turned.state.direction.target).toBe('kcm');
  });

  it('what a failed step left behind is cleaned up before commands take effect', () => {
    const run = new GivenRun([does()]).stepping().on(failed('Timeout'));
    const stop = command('stop');
    expect(run.on(stop).last).toEqual({ kind: 'continue' });
    expect(run.answer(stop)).toMatch(/^pending/);
    run.on(failed('Timeout'));
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'stopped' } });
  });
});

describe("a decision that was made before an operator's command", () => {
  it('is discarded and requested again', () => {
    const run = new GivenRun([blocked('CCM2007')]).stepping();
    const stale = run.observed();
    run.on(command('approve', { actor: 'bo', arguments: { code: 'CCM2007' } }));
    run.on({ kind: 'observed', observed: stale });
    expect(run.last).toMatchObject({ kind: 'observe' });
    expect(run.rule(does()).on(LOOKED).last).toMatchObject({ kind: 'runStep' });
  });
});

describe('what is checked before the first fence', () => {
  it('is checked again under the fence when it displaces another run', () => {
    const run = new GivenRun([does()]);
    run.state = { ...run.state, pending: { ...run.state.pending, recheck: true } };
    expect(run.on(STARTED).last).toEqual({ kind: 'check', early: true });
    expect(run.on(CHECKED).last).toMatchObject({ kind: 'takeFence' });
    expect(run.on(FENCED).last).toEqual({ kind: 'check', early: false });
    expect(run.on(CHECKED).last).toMatchObject({ kind: 'observe' });
  });

  it.each(['StalePlan', 'PreflightFailed', 'InvalidInput'] as const)(
    '%s refuses the run before it has a fence',
    (type) => {
      const run = new GivenRun([does()]).on(STARTED, failed(type));
      expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'refused' } });
      expect(run.state.fence.requests).toBe(0);
    },
  );
});

describe('a step that was stopped by its gates or the guard', () => {
  it('is judged by what was measured, each gate once', () => {
    const run = new GivenRun([does()]).stepping();
    run.on(failed('GateFailed', { verdicts: [NOT_READY, NOT_READ] }), FENCED, LOOKED);
    expect(run.state.problems.holdReason).toMatchObject({
      kind: 'gates',
      whoActs: 'environment',
      findings: [{ code: 'CCM3005' }],
      codes: ['CCM3005', 'CCM3001'],
    });
    run.on(changeSeen('healed'), LOOKED);
    run.on({ kind: 'guardBreach', verdict: NOT_READY });
    run.on(failed('GateFailed', { verdicts: [NOT_READY] }));
    expect(run.state.problems.breaches).toEqual([NOT_READY]);
  });
});

describe('a hold before anything was observed', () => {
  it('a hold before anything was observed heals too', () => {
    const ended = { kind: 'guardEnded', why: 'gone' } as const;
    const run = new GivenRun([does()]).on(STARTED, CHECKED);
    for (let losses = 0; losses < 4; losses += 1) run.on(ended);
    run.on(FENCED);
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
    expect(run.on(changeSeen('healed')).last).toMatchObject({ kind: 'observe' });
    expect(run.state.observed).toBeNull();
  });
});

describe('a soak', () => {
  const soaking = (): GivenRun =>
    new GivenRun([does()], { soakSeconds: 9 }).stepping().rule(DONE).on(finished());

  it('a soak continues after a pause', () => {
    const run = soaking().on(command('pause'), soaked([PASS], 4000));
    expect(run.state.operatorHold.kind).toBe('pause');
    expect(run.state.proofs.soakProgress).toMatchObject({ soakedMs: 4000 });
    run.on(command('resume'), LOOKED);
    expect(run.last).toEqual({ kind: 'soak', soakMs: 9000 });
    expect(run.state.proofs.soakProgress).toMatchObject({ soakedMs: 4000 });
  });

  it('a soak that was cut off without a failed gate is resumed', () => {
    const run = soaking().on(soaked([PASS], 4000));
    expect(run.last).toEqual({ kind: 'soak', soakMs: 9000 });
    expect(run.on(soaked()).state.proofs).toMatchObject({ soak: 'passed', soakProgress: null });
  });

  it('a soak of a previous direction is dropped', () => {
    const run = soaking();
    const late = soaked([PASS], 4000);
    const event = typeof late === 'function' ? late(run) : late;
    expect(run.on(command('rollBack'), event).state.proofs.soakProgress).toBeNull();
    const passed = soaking().on(soaked());
    expect(passed.on(soaked([PASS], 4000)).state.proofs.soakProgress).toBeNull();
  });

  it('a soak that could not be measured for long holds, and continues when that has passed', () => {
    const run = soaking().on(soaked([NOT_READ], 4000));
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { kind: 'healed' } });
    expect(run.state.proofs).toMatchObject({ soak: 'pending', soakProgress: { soakedMs: 4000 } });
    run.on(changeSeen('healed'), soaked());
    expect(run.last).toEqual({ kind: 'soak', soakMs: 9000 });
    expect(run.state.proofs.soakProgress).toMatchObject({ soakedMs: 4000 });
  });

  it('a soak that the environment failed begins again when that has passed', () => {
    const run = soaking().on(soaked([NOT_READY], 4000), changeSeen('healed'), soaked());
    expect(run.state.proofs.soak).toBe('pending');
    expect(run.last).toEqual({ kind: 'soak', soakMs: 9000 });
  });

  it('a soak begins again after a failed gate and after a change of direction', () => {
    const failing = soaking().on(soaked([LOST], 4000));
    expect(failing.state.proofs).toMatchObject({ soak: 'failed', soakProgress: null });
    const turned = soaking().on(command('pause'), soaked([PASS], 4000), command('rollBack'));
    expect(turned.state.proofs.soakProgress).toBeNull();
  });
});
