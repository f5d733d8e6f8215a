import { describe, expect, it } from '@jest/globals';
import { alertPause } from '../../../domain/run/alert-pauses.js';
import { nextReport } from '../../../domain/fleet/member-milestones.js';
import type { AutomationPolicy } from '../../../domain/policy.js';
import { doingKey, runStatus } from '../../../domain/run/run-status.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import {
  ALERT,
  ALERT_BRAKE,
  braked,
  command,
  does,
  DONE,
  FENCED,
  finished,
  GivenRun,
  LOOKED,
  MEMBER,
  order,
  soaked,
  turned,
  verdict,
} from './given-run.js';

const BOTH: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };
const ROLLS_BACK = 'the run is rolling back, which no alert holds up';

type Received = RunEvent & { readonly kind: 'commandReceived' };

/** An order of automation, as a run of this build receives it. */
function alert(verb: 'pause' | 'rollBack' = 'pause', commandId = 'p'): Received {
  const given = { commandId, actor: ALERT.actor, reason: 'alert', alertSinceMs: 2_000 };
  return { ...command(verb, given), atMs: 5_000, yields: 'toPolicy' };
}

/** In its first step, so that what arrives waits for its end. */
function stepping(policy: { automation?: AutomationPolicy } = {}, isMember = false): GivenRun {
  const run = new GivenRun([does()], { ...policy }, isMember ? MEMBER : null).stepping();
  run.state = { ...run.state, beganAtMs: 1_000 };
  return run;
}

/** In its first step back. */
function rollingBack(isMember = false): GivenRun {
  const run = stepping({}, isMember).on(command('rollBack'), finished(), FENCED, LOOKED);
  if (run.last.kind === 'check') run.on({ kind: 'checked', report: NO_PLAN });
  expect(run.state).toMatchObject({
    ...{ direction: { target: 'kcm' }, inFlight: { kind: 'stepping' } },
  });
  return run;
}

const NO_PLAN = { planDigest: null, objections: [] };

describe('the pause of an alert while a run rolls back', () => {
  it('holds nothing, says so, and shows in the status', () => {
    const run = rollingBack();
    const pause = alert();
    expect(run.on(pause).answer(pause)).toContain('pending: pause waits');
    expect(runStatus(run.state).pause).toBe('none');
    run.on(finished());
    expect(run.last).toMatchObject({ kind: 'runStep' });
    expect(run.answer(pause)).toContain(`applied: ${ROLLS_BACK}`);
    expect(runStatus(run.state)).toMatchObject({
      ...{ hold: 'none', pause: 'none', pausedBy: null },
      alertPause: { ...ALERT, holds: false },
    });
    expect(doingKey(run.state)).not.toBe('pause');
    run.rule(DONE).on(finished(), soaked(), finished());
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'rolledBack' } });
    expect(runStatus(run.state).alertPause).toBeNull();
  });

  it('leaves a soak or an observation as it is', () => {
    const run = rollingBack().on(finished([verdict({ verdict: 'error' })]));
    const { inFlight } = run.state;
    expect(inFlight.kind).toBe('held');
    expect(run.on(alert()).last).toEqual({ kind: 'continue' });
    const member = rollingBack(true).on(finished([verdict({ verdict: 'error' })]), ALERT_BRAKE);
    expect(member.last).toEqual({ kind: 'continue' });
    expect(member.state.membership.brakes).toEqual([
      { commandId: 'b', by: ALERT, yields: 'toPolicy' },
    ]);
  });

  it('neither does a brake of its fleet that an alert asked for; both count again forward', () => {
    const run = rollingBack(true).on(ALERT_BRAKE);
    expect(runStatus(run.state).pause).toBe('none');
    expect(run.on(finished()).last).toMatchObject({ kind: 'runStep' });
    expect(alertPause(run.state)).toEqual({ ...ALERT, holds: false });
    const resume = command('resume');
    run.on(resume, command('rollForward'), finished());
    expect(run.answer(resume)).toBe('refused: CCM4005: the run is not paused');
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state)).toMatchObject({
      ...{ pause: 'paused', pausedBy: ALERT, alertPause: { holds: true } },
    });
  });

  it('is no reason to refuse another try, and a report to its fleet does not say paused', () => {
    const run = rollingBack(true).on(finished([verdict({ verdict: 'error' })]), alert());
    const retry = command('retry');
    expect(run.on(retry).answer(retry)).toContain('applied');
    expect(nextReport(run.state)).not.toMatchObject({ signature: 'paused' });
  });

  it('a second one finds the first', () => {
    const run = rollingBack().on(alert());
    const other = alert('pause', 'q');
    run.on(other, finished());
    expect(run.answer(other)).toContain(
      `it is paused already, by ${ALERT.actor}: alert; ${ROLLS_BACK}`,
    );
  });
});

describe('a rollback of a run that an alert has paused', () => {
  const paused = (isMember = false): GivenRun => {
    const run = stepping({ automation: BOTH }, isMember).on(alert(), finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state)).toMatchObject({
      ...{ pause: 'paused', pausedBy: ALERT, alertPause: { ...ALERT, holds: true } },
      nextCommand: 'ccm-migrate resume c1',
    });
    return run;
  };

  it.each<[string, Received]>([
    ['a person', command('rollBack', { actor: 'ana' })],
    ['automation', alert('rollBack', 'r')],
  ])('by %s begins at once', (_who, rollBack) => {
    const run = paused().on(rollBack);
    expect(run.last).toMatchObject({ kind: 'takeFence' });
    expect(run.answer(rollBack)).toBe('applied: the target is KCM now');
  });

  it('by its fleet begins at once', () => {
    const run = stepping({}, true).on(ALERT_BRAKE, finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.on(turned('kcm')).last).toMatchObject({ kind: 'takeFence' });
  });

  it('by policy is not forgotten: the time of its hold goes on', () => {
    const run = new GivenRun([does()], { onBreach: { holdThenRollBackMs: 9_000 } }).stepping();
    run
      .on(finished([verdict()]))
      .timed(1_000)
      .on(alert());
    expect(runStatus(run.state)).toMatchObject({ pause: 'paused', rollsBackAtMs: 10_000 });
    run.on({ kind: 'turnDue', sinceMs: 1_000 });
    expect(run.last).toMatchObject({ kind: 'takeFence' });
  });

  it('waits for no resume that forward work waits for', () => {
    const run = paused().on(command('rollBack'), command('rollForward'));
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(Object.values(run.state.commands.answers).at(-1)?.detail).toContain(
      'the run stays paused until resume',
    );
    expect(run.on(command('resume')).last).toMatchObject({ kind: 'takeFence' });
  });
});

describe('the pause of a person', () => {
  it('gives way to the word to stop alone', () => {
    const run = rollingBack().on(alert(), command('stop', { actor: 'ana' }), finished());
    expect(run.last).toMatchObject({ kind: 'finish', outcome: { kind: 'stopped' } });
    expect(runStatus(run.state)).toMatchObject({ hold: 'stop', pause: 'none', pausedBy: null });
  });

  it('holds a rollback at its next safe point', () => {
    const run = rollingBack().on(command('pause', { actor: 'ana' }), finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state)).toMatchObject({ pause: 'paused', alertPause: null });
  });

  it('takes the place of that of an alert, whose end is no news any more', () => {
    const run = rollingBack().on(alert());
    const pause = command('pause', { actor: 'ana' });
    run.on(pause, finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(run.answer(pause)).toBe('applied: paused: nothing is changed until resume');
    expect(run.state.operatorHold).toEqual({
      ...{ kind: 'pause', by: { actor: 'ana', reason: 'because' } },
    });
    const over = { ...alert('pause', 'n') };
    const note = { ...over.command, alertOver: { since: 'now', pauseId: 'p' } };
    expect(run.on({ ...over, command: note }).answer(over)).toContain('not paused by this alert');
    const later = alert('pause', 'q');
    expect(run.on(later).answer(later)).toBe('applied: it is paused already, by ana: because');
  });

  it('of its fleet holds it beside that of an alert', () => {
    const run = rollingBack(true).on(ALERT_BRAKE, braked('people'), finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state).pausedBy).toEqual({ actor: 'cy', reason: 'CHG-7' });
    expect(runStatus(run.state).advice).not.toContain(ALERT.actor);
    expect(run.on(braked('people', 'release')).last).not.toEqual({ kind: 'awaitCommand' });
  });
});

describe('what an older build received', () => {
  it('an alert of a run in flight goes on holding it', () => {
    const { yields: _, ...older } = alert();
    const run = rollingBack().on(older, finished());
    expect(run.last).toEqual({ kind: 'awaitCommand' });
    expect(runStatus(run.state)).toMatchObject({ pause: 'paused', alertPause: null });
    const member = rollingBack(true).on(order({ kind: 'brake', commandId: 'b', by: ALERT }));
    expect(member.on(finished()).last).toEqual({ kind: 'awaitCommand' });
  });
});

describe('a word that automation signed', () => {
  it('is that of automation, whatever name it bears', () => {
    const run = stepping();
    const rollBack: Received = {
      ...command('rollBack', { actor: 'ana' }),
      ...{ atMs: 5_000, byAutomation: true, yields: 'toPolicy' },
    };
    run.on(rollBack, finished());
    expect(run.answer(rollBack)).toContain('the policy refuses a rollback by automation');
    expect(run.state.direction.target).toBe('ccm');
    expect(run.state.operatorHold).toMatchObject({ kind: 'pause', yields: 'toPolicy' });
  });

  it('a turn of a fleet that the policy refuses pauses, and lets a person roll back', () => {
    const turn = { ...order({ kind: 'turn', target: 'kcm', by: ALERT, byPerson: true }) };
    const run = stepping({}, true).on(finished(), { ...turn, yields: 'toPolicy' });
    run.on(finished());
    expect(run.state.operatorHold).toEqual({ kind: 'pause', by: ALERT, yields: 'toPolicy' });
    expect(run.on(command('rollBack')).last).toMatchObject({ kind: 'takeFence' });
  });
});
