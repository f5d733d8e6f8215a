import { describe, expect, it } from '@jest/globals';
import type { GateVerdict } from '../../../domain/gates/verdicts.js';
import type { MigrationPolicy } from '../../../domain/policy.js';
import type { OperatorVerb } from '../../../domain/run/operator-verbs.js';
import { turnAwaitedMs, turnsAtMs, withTurnTimed } from '../../../domain/run/turn-time.js';
import { runStatus } from '../../../domain/run/run-status.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import {
  blocked,
  braked,
  changeSeen,
  command,
  does,
  DONE,
  failed,
  FENCED,
  finished,
  type GivenEvent,
  GivenRun,
  LOOKED,
  MEMBER,
  PARK,
  PASS,
  soaked,
  verdict,
} from './given-run.js';

const LATER = { onBreach: { holdThenRollBackMs: 900_000 } } as const;
const SINCE = 1_700_000_000_000;
const DUE: RunEvent = { kind: 'turnDue', sinceMs: SINCE };
const BURNT = verdict({ gate: 'cloudErrors', hardness: 'soft', code: 'CCM3101' });
const NOT_READY = verdict({ gate: 'nodesReady', code: 'CCM3005' });

function held(
  gates: readonly GateVerdict[] = [verdict()],
  policy: Partial<MigrationPolicy> = LATER,
): GivenRun {
  return new GivenRun([does()], policy).stepping().on(finished(gates)).timed(SINCE);
}

describe('a hold with a time', () => {
  it('holds, says when it rolls back, and does so when nothing else has ended it', () => {
    const run = held([verdict(), NOT_READY]);
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state)).toMatchObject({
      ...{ target: 'ccm', rollsBackAtMs: SINCE + 900_000 },
      otherCommands: expect.arrayContaining([expect.stringMatching(/^ccm-migrate pause /)]),
    });
    expect(run.on(DUE).last).toMatchObject({ kind: 'takeFence', acknowledge: true });
    expect(run.state.direction).toMatchObject({
      target: 'kcm',
      requestedBy: {
        actor: 'policy onBreach',
        reason: expect.stringMatching(
          /^oneOwner \(CCM3001\): .+; nodesReady \(CCM3005\): .+; held for 900 s and not decided$/,
        ),
      },
    });
    expect(run.state.membership.turnedByPerson).toBe(false);
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it.each<[string, readonly GateVerdict[], Partial<MigrationPolicy>]>([
    ['what could not be measured', [verdict({ verdict: 'error' })], LATER],
    ['a suspicion', [verdict({ verdict: 'inconclusive' })], LATER],
    ['nothing measured', [], LATER],
    ['a policy that holds', [verdict()], { onBreach: 'hold' }],
  ])('%s never turns it', (_what, gates, policy) => {
    const run = held(gates, policy);
    expect(run.state.problems.holdReason?.kind).toBe('gates');
    expect(run.state).not.toHaveProperty('pendingTurn');
    expect(runStatus(run.state)).not.toHaveProperty('rollsBackAtMs');
    expect(run.on(DUE).last).toEqual({ kind: 'continue' });
    expect(run.state.direction.target).toBe('ccm');
  });

  it('nothing turns a run that goes back already', () => {
    const run = new GivenRun([does()], LATER).stepping().on(command('rollBack'), finished());
    run.on(FENCED, LOOKED).on({ kind: 'guardBreach', verdict: verdict() });
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it.each<[OperatorVerb, string]>([
    ['retry', 'ccm'],
    ['pause', 'ccm'],
    ['stop', 'ccm'],
    ['rollBack', 'kcm'],
  ])('%s is a decision: the time is over', (verb, target) => {
    const run = held().on(command(verb));
    expect(turnsAtMs(run.state)).toBeNull();
    expect(run.state).not.toHaveProperty('pendingTurn');
    expect(run.on(DUE).last).toEqual({ kind: 'continue' });
    expect(run.state.direction.target).toBe(target);
  });

  it('a skip of one of two failed gates is a decision, too', () => {
    const latency = { ...BURNT, gate: 'cloudLatency' };
    const run = held([BURNT, latency]).on(command('skip', { arguments: { code: 'CCM3101' } }));
    expect(run.state.problems.gates).toEqual([latency]);
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it('a paused run that is resumed waits for a person', () => {
    const run = held().on(command('pause'), command('resume'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.timed(SINCE + 5).state).not.toHaveProperty('pendingTurn');
  });

  it('a pause of the fleet drops it as well', () => {
    const run = new GivenRun([does()], LATER, MEMBER).stepping().on(finished([verdict()]));
    run.timed(SINCE).on(braked());
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it('a parked member rolls back without a slot', () => {
    const run = new GivenRun([does()], LATER, MEMBER).stepping().on(finished([verdict()]));
    run.timed(SINCE).on(PARK);
    expect(run.state.membership.slot).toBe('givenBack');
    expect(run.on(DUE).last).toMatchObject({ kind: 'takeFence' });
    expect(run.state).toMatchObject({ direction: { target: 'kcm' }, membership: { slot: 'held' } });
  });

  it('the time counts from the beginning of the hold, however often it is decided again', () => {
    const run = held([NOT_READY]);
    run.on({ kind: 'guardBreach', verdict: verdict({ gate: 'quorum', code: 'CCM3003' }) });
    expect(run.timed(SINCE + 5).state.pendingTurn).toMatchObject({
      sinceMs: SINCE,
      afterMs: 900_000,
    });
  });

  it('the time of another hold, or one that was never noted, turns nothing', () => {
    const run = held().on({ kind: 'turnDue', sinceMs: SINCE - 1 });
    expect(run.last).toEqual({ kind: 'continue' });
    expect(run.state.pendingTurn).toBeDefined();
    const untimed = new GivenRun([does()], LATER).stepping().on(finished([verdict()]));
    expect(runStatus(untimed.state)).not.toHaveProperty('rollsBackAtMs');
    expect(untimed.on(DUE).state.direction.target).toBe('ccm');
  });

  it('what heals ends it, and what fails after that has its whole time again', () => {
    const run = held([NOT_READY]).on(changeSeen('healed'));
    expect(run.state).not.toHaveProperty('pendingTurn');
    run.on(soaked([NOT_READY]), LOOKED).timed(SINCE + 5);
    expect(run.state.pendingTurn?.sinceMs).toBe(SINCE + 5);
  });

  it('a failure that the rules cure by now turns nothing', () => {
    const run = held([NOT_READY]).rule(does('finishManifest', { cures: ['CCM3005'] }));
    run.on(changeSeen('timeUp')).on(DUE);
    expect(run.state.direction.target).toBe('ccm');
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it('a gate that the guard watches may recover within the time, and only there', () => {
    expect(held([BURNT]).last).toMatchObject({
      kind: 'awaitChange',
      goal: { kind: 'healed', codes: ['CCM3101'] },
    });
    expect(held([BURNT], { onBreach: 'hold' }).last).toEqual({ kind: 'awaitCommand' });
    expect(held([BURNT, verdict()]).last).toEqual({ kind: 'awaitCommand' });
  });

  it('a state without a pending turn needs no time', () => {
    const { state } = new GivenRun([does()], LATER).stepping();
    expect(withTurnTimed(state, () => ({ nowMs: SINCE, outlasts: true }))).toBe(state);
  });
});

const QUORUM: RunEvent = {
  ...{ kind: 'guardBreach', verdict: verdict({ gate: 'quorum', code: 'CCM3003' }) },
};

/** The guard has ended so often that the next time holds the run. */
function withoutGuard(run: GivenRun): GivenRun {
  for (let count = 0; count < 4; count += 1) run.on({ kind: 'guardEnded', why: 'lost' });
  return run;
}

describe('what fails while a hold has a time', () => {
  const codesOf = ({ state }: GivenRun) =>
    state.problems.holdReason?.findings.map(({ code }) => code);

  it.each<[string, GivenEvent]>([
    ['that the environment caused', failed('Unreachable')],
    ['that a person must cure', failed('Forbidden')],
  ])('a wait that fails %s leaves it its time, and is told', (_what, failure) => {
    const run = held([NOT_READY]).on(failure);
    expect(turnsAtMs(run.state)).toBe(SINCE + 900_000);
    expect(codesOf(run)).toEqual(['CCM3005', expect.stringMatching(/^CCM/)]);
    // The same again is told once.
    expect(codesOf(run.on(failure))).toHaveLength(2);
    expect(run.on(DUE).state.direction).toMatchObject({
      target: 'kcm',
      requestedBy: { reason: expect.stringContaining('held for 900 s and not decided') },
    });
  });

  it('what the environment caused is awaited with the gates, what a person must cure is not', () => {
    const run = held([NOT_READY]).on(failed('Unreachable'));
    expect(run.last).toMatchObject({ kind: 'awaitChange', goal: { codes: ['CCM3005'] } });
    expect(run.on(failed('Forbidden')).last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(failed('Unreachable')).last).toEqual({ kind: 'awaitCommand' });
  });

  it('so does a guard that is lost, and it lets nothing heal that needs a person', () => {
    const run = withoutGuard(held());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(codesOf(run)).toEqual(['CCM3001', 'CCM4104']);
    expect(run.on(DUE).state.direction.target).toBe('kcm');
  });

  it.each<OperatorVerb>(['retry', 'pause', 'stop'])('%s ends its time all the same', (verb) => {
    const run = held([NOT_READY]).on(failed('Forbidden'), command(verb)).on(DUE);
    expect(run.state).not.toHaveProperty('pendingTurn');
    expect(run.state.direction.target).toBe('ccm');
  });

  it('what ends the run ends its time', () => {
    const run = held([NOT_READY]).on(failed('AlreadyRunning'));
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { failureType: 'AlreadyRunning' } });
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it.each<[string, GivenEvent]>([
    ['a failed wait', failed('Unreachable')],
    ['a lost guard', { kind: 'guardEnded', why: 'lost' }],
  ])('after %s a worse breach has it observe again, and its time goes on', (_what, before) => {
    const run = held([NOT_READY])
      .on(before, QUORUM)
      .timed(SINCE + 5);
    expect(['observe', 'takeFence']).toContain(run.last.kind);
    expect(turnsAtMs(run.state)).toBe(SINCE + 900_000);
    expect(turnAwaitedMs(run.state)).toBeNull();
    // Its time is up meanwhile: it turns as soon as it holds.
    expect(run.on(DUE).last).toEqual({ kind: 'continue' });
    if (run.state.inFlight.kind === 'takingFence') run.on(FENCED);
    run.on(LOOKED);
    expect(turnAwaitedMs(run.timed(SINCE + 5).state)).toBe(SINCE + 900_000);
    expect(run.on(DUE).state.direction.target).toBe('kcm');
  });

  it('an observation that fails leaves it its time, too', () => {
    const run = held([NOT_READY]).on(failed('Unreachable'), QUORUM, failed('Forbidden'));
    expect(run.state.problems.holdReason).toMatchObject({ kind: 'gates', whoActs: 'person' });
    expect(turnsAtMs(run.state)).toBe(SINCE + 900_000);
  });

  it('a pause while it observes again ends its time for good', () => {
    const run = held([NOT_READY]).on(failed('Unreachable'), QUORUM, command('pause'));
    expect(run.state).not.toHaveProperty('pendingTurn');
    run.on(command('resume'));
    expect(run.timed(SINCE + 5).state).not.toHaveProperty('pendingTurn');
    expect(run.state.problems.holdReason?.kind).toBe('gates');
  });

  it('an observation that finds a cure ends it', () => {
    const cures = does('finishManifest', { cures: ['CCM3005', 'CCM3003'] });
    const run = held([NOT_READY]).rule(cures).on(failed('Unreachable'), QUORUM, LOOKED);
    expect(run.last).toMatchObject({ kind: 'runStep' });
    expect(run.state).not.toHaveProperty('pendingTurn');
  });

  it('a parked member keeps its time when the cluster gets worse', () => {
    const run = new GivenRun([does()], LATER, MEMBER).stepping().on(finished([NOT_READY]));
    run.timed(SINCE).on(PARK, QUORUM);
    expect(run.state.membership.slot).toBe('givenBack');
    expect(turnsAtMs(run.state)).toBe(SINCE + 900_000);
    expect(run.on(DUE).state.direction.target).toBe('kcm');
  });

  it('a run of an older build goes on as it did', () => {
    const held0 = () => {
      const run = new GivenRun([does()], LATER).stepping().on(finished([NOT_READY]));
      return run.timed(SINCE, false);
    };
    expect(turnAwaitedMs(held0().state)).toBe(SINCE + 900_000);
    for (const run of [held0().on(failed('Unreachable')), withoutGuard(held0())]) {
      expect(run.state).not.toHaveProperty('pendingTurn');
      expect(run.state.problems.holdReason).toMatchObject({
        ...{ kind: 'failure', whoActs: 'environment' },
      });
    }
    const looking = held0().on({ kind: 'guardEnded', why: 'lost' }, QUORUM);
    expect(looking.state).not.toHaveProperty('pendingTurn');
  });
});

describe('rules of phases', () => {
  const PER_PHASE: Partial<MigrationPolicy> = {
    onBreach: 'hold',
    onBreachByPhase: { verify: 'rollBack', replaceNodes: LATER.onBreach },
  };

  it('the phase of the step that is due decides', () => {
    expect(held([verdict()], PER_PHASE).state).not.toHaveProperty('pendingTurn');
    const nodes = does('externalizeKcm', { phase: 'replaceNodes' });
    const run = new GivenRun([nodes], PER_PHASE).stepping().on(finished([verdict()]));
    expect(run.state.pendingTurn?.afterMs).toBe(900_000);
  });

  it.each<[string, Partial<MigrationPolicy>]>([
    ['a soak of the completed migration', { soakSeconds: 9 }],
    ['its comparison with the start', { soakSeconds: 0 }],
  ])('%s is in verify', (_what, policy) => {
    const run = new GivenRun([does()], { ...PER_PHASE, ...policy }).stepping().rule(DONE);
    run.on(finished(), policy.soakSeconds === 9 ? soaked([verdict()]) : finished([verdict()]));
    expect(run.state.direction.target).toBe('kcm');
  });

  it('so is what must be proven before a later step, and no longer once it is', () => {
    const off = does('disableLeaderMigration', { phase: 'disableLeaderMigration' });
    const policy = { ...PER_PHASE, soakSeconds: 9 };
    const breach: RunEvent = { kind: 'guardBreach', verdict: verdict() };
    const unproven = new GivenRun([off], policy).stepping();
    expect(unproven.last).toMatchObject({ kind: 'soak' });
    expect(unproven.on(breach).state.direction.target).toBe('kcm');
    const proven = new GivenRun([off], policy).stepping().on(soaked(), finished());
    expect(proven.last).toMatchObject({
      planned: { step: { name: 'disableLeaderMigration' } },
    });
    expect(proven.on(finished([verdict()])).state.direction.target).toBe('ccm');
  });

  it('where the rules block, the last step decides; before the first one, onBreach does', () => {
    const policy = { onBreach: 'hold', onBreachByPhase: { prepareCcm: 'rollBack' } } as const;
    const run = new GivenRun([does()], policy).stepping().rule(blocked());
    expect(run.on(finished([verdict()])).state.direction.target).toBe('kcm');
    const first = new GivenRun([blocked()], policy).stepping();
    first.on({ kind: 'guardBreach', verdict: verdict() });
    expect(first.state.direction.target).toBe('ccm');
    expect(first.state.problems.holdReason?.kind).toBe('gates');
  });
});

describe('what the guard reports', () => {
  it('a note, or a pass, holds nothing', () => {
    const noted = { ...BURNT, verdict: 'inconclusive', noted: true } as const;
    const run = new GivenRun([does()]).stepping();
    for (const each of [noted, PASS]) run.on({ kind: 'guardBreach', verdict: each });
    expect(run.state.problems.breaches).toEqual([]);
  });

  it('what could not be measured and fails now counts as failed, and never the other way round', () => {
    const unread = verdict({ verdict: 'error' });
    const run = new GivenRun([does()], LATER).stepping();
    for (const each of [unread, verdict(), unread]) run.on({ kind: 'guardBreach', verdict: each });
    expect(run.state.problems.breaches).toEqual([verdict()]);
  });
});
