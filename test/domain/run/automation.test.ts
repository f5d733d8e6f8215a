import { describe, expect, it } from '@jest/globals';
import type { AutomationPolicy } from '../../../domain/policy.js';
import { automationActor, isAutomation, ruleOnAutomation } from '../../../domain/run/automation.js';
import { readCommand, type OperatorCommand } from '../../../domain/run/operator-command.js';
import { VERB_NAMES } from '../../../domain/run/operator-verbs.js';
import { beginRun, carryRun } from '../../../domain/run/begin-run.js';
import type { RunEvent } from '../../../domain/run/run-state.js';
import { blocked, command, GivenRun, MEMBER, order } from './given-run.js';

const BOTH: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };
const NONE: AutomationPolicy = { pause: 'refused', rollBack: 'refused' };
const ALERT = 'automation/am';

type Received = Extract<RunEvent, { kind: 'commandReceived' }>;

/** An order of automation that arrives at a time. */
function asked(
  verb: OperatorCommand['verb'],
  rest: Partial<OperatorCommand> = {},
  actor = ALERT,
): Received {
  return { ...command(verb, { actor, ...rest }), atMs: 5_000 };
}

function held(automation?: AutomationPolicy): GivenRun {
  const run = new GivenRun([blocked()], automation === undefined ? {} : { automation }).stepping();
  run.state = { ...run.state, beganAtMs: 1_000 };
  return run;
}

describe('what automation may do to a run', () => {
  it('an actor is automation however it is spelled, and no one else is', () => {
    expect(automationActor('am')).toBe(ALERT);
    expect([ALERT, ' Automation/AM'].every(isAutomation)).toBe(true);
    expect(['ana', 'x/automation/am', 'automation'].some(isAutomation)).toBe(false);
  });

  it.each(VERB_NAMES.filter((verb) => verb !== 'pause' && verb !== 'rollBack'))(
    'automation is refused %s under every policy',
    (verb) => {
      const run = held(BOTH);
      const order = asked(verb, { alertSinceMs: 2_000, arguments: { code: 'CCM1109' } });
      const before = run.state;
      expect(run.on(order).answer(order)).toBe(
        `refused: CCM4040: automation may pause or roll back, never ${verb}`,
      );
      expect({ ...run.state, commands: before.commands }).toEqual(before);
    },
  );

  it('a pause is obeyed without a word in the policy, and names the automation', () => {
    const run = held();
    run.on(asked('pause', { alertSinceMs: 2_000, commandId: 'p' }));
    expect(run.state.operatorHold).toEqual({
      ...{ kind: 'pause', by: { actor: ALERT, reason: 'because' }, commandId: 'p' },
    });
  });

  it('a pause that the policy refuses is answered and changes nothing', () => {
    const run = held(NONE);
    const order = asked('pause');
    expect(run.on(order).answer(order)).toContain('CCM4040: the policy refuses pause');
    expect(run.state.operatorHold).toEqual({ kind: 'none' });
  });

  it('a rollback turns a run whose policy allows it, and no person is said to have turned it', () => {
    const run = held(BOTH);
    run.on(asked('rollBack', { alertSinceMs: 1_000 }));
    expect(run.state.direction.target).toBe('kcm');
    expect(run.state.membership.turnedByPerson).toBe(false);
  });

  it.each([
    ['the policy states nothing', undefined, 2_000, 1_000, 'the policy refuses a rollback'],
    ['the alert is older than the run', BOTH, 999, 1_000, 'the alert began before the run'],
    ['the age of the alert is unknown', BOTH, undefined, 1_000, 'the alert began before the run'],
    ['the age of the run is unknown', BOTH, 2_000, undefined, 'the alert began before the run'],
  ])('a rollback pauses where %s', (_why, automation, since, began, words) => {
    const run = held(automation);
    const { beganAtMs: _began, ...state } = run.state;
    run.state = began === undefined ? state : { ...state, beganAtMs: began };
    const order = asked('rollBack', since === undefined ? {} : { alertSinceMs: since });
    expect(run.on(order).answer(order)).toContain(`applied: ${words}`);
    expect(run.state.direction.target).toBe('ccm');
    expect(run.state.operatorHold).toMatchObject({ kind: 'pause' });
  });

  it('a rollback that may only pause is refused where the policy refuses pauses, too', () => {
    const ruling = ruleOnAutomation(
      { policy: NONE, beganAtMs: 0, lastWord: null },
      { verb: 'rollBack', alertSinceMs: 1 },
    );
    expect(ruling).toEqual({
      ...{ kind: 'refused', why: 'CCM4040: the policy refuses rollBack by automation' },
    });
  });

  it.each(['resume', 'rollForward'] as const)(
    'an alert that began before a person said %s changes nothing, in later executions too; a younger one pauses',
    (verb) => {
      const run = held(BOTH);
      run.on(command(verb === 'resume' ? 'pause' : 'rollBack', { actor: 'ana' }));
      run.on(asked(verb, {}, 'ana'));
      run.state = { ...carryRun(run.state), inFlight: { kind: 'held' } };
      for (const order of [
        asked('pause', { alertSinceMs: 5_000, commandId: 'a' }),
        asked('rollBack', { alertSinceMs: 4_000, commandId: 'b' }),
      ]) {
        expect(run.on(order).answer(order)).toBe(
          'refused: CCM4041: the alert began before ana let it go on',
        );
      }
      run.on(asked('pause', { alertSinceMs: 5_001, commandId: 'c' }));
      expect(run.state.operatorHold).toMatchObject({ kind: 'pause' });
    },
  );

  it('a run knows when it began', () => {
    const { cluster, policy } = held().state;
    const setup = {
      cluster,
      policy,
      target: 'ccm',
      planDigest: 'd',
      actor: 'a',
      reason: 'r',
    } as const;
    expect(beginRun({ ...setup, takesOver: false, beganAtMs: 7 }).beganAtMs).toBe(7);
  });

  it('a word that was refused, or came without a time, lets no alert grow old', () => {
    const run = held();
    run.on(asked('resume', {}, 'ana'), command('pause', { actor: 'ana' }));
    run.on(command('resume', { actor: 'ana' }));
    expect(run.state.commands.lastWord).toBeUndefined();
  });

  it('the end of an alert is noted on the pause that it caused, and on no other', () => {
    const run = held();
    run.on(asked('pause', { alertSinceMs: 2_000, commandId: 'p' }));
    const over = (pauseId: string, commandId: string): Received =>
      asked('pause', { commandId, alertOver: { since: '10:42\n', pauseId } });
    const wrong = over('other', 'n1');
    expect(run.on(wrong).answer(wrong)).toContain('refused: CCM4005');
    const right = over('p', 'n2');
    expect(run.on(right).answer(right)).toContain('the run stays paused');
    expect(run.state.operatorHold).toMatchObject({
      ...{ kind: 'pause', by: { reason: 'because; alert over since 10:42 ' } },
    });
    run.on(command('resume'));
    const late = over('p', 'n3');
    expect(run.on(late).answer(late)).toContain('refused');
  });
});

describe('what a fleet passes on of automation', () => {
  const BY = { actor: ALERT, reason: 'alert' };
  const turn = order({ kind: 'turn', target: 'kcm', by: BY, byPerson: true });
  const grant = order({ kind: 'grant', target: 'kcm', by: BY }, { grant: 2 });
  const member = (automation?: AutomationPolicy): GivenRun =>
    new GivenRun([blocked()], automation === undefined ? {} : { automation }, MEMBER).stepping();

  it.each([
    ['turn', turn],
    ['grant', grant],
  ])(
    'a %s that the policy refuses pauses the run, and one that it allows turns it',
    (_kind, sent) => {
      const refused = member().on(sent);
      expect(refused.state.direction.target).toBe('ccm');
      expect(refused.state.operatorHold).toEqual({ kind: 'pause', by: BY });
      expect(member(BOTH).on(sent).state.direction.target).toBe('kcm');
    },
  );

  it('the pause of a person stays', () => {
    const run = member().on(command('pause', { actor: 'ana' }));
    expect(run.on(turn).state.operatorHold).toMatchObject({ by: { actor: 'ana' } });
  });

  it('a brake of automation holds no run whose policy refuses it', () => {
    const brake = order({ kind: 'brake', commandId: 'b', by: BY });
    expect(member(NONE).on(brake).state.membership.brakes).toEqual([]);
    expect(member().on(brake).state.membership.brakes).toHaveLength(1);
  });
});

describe('a command as it arrives', () => {
  const SENT = { commandId: 'x', verb: 'pause', actor: ALERT, reason: 'r' };
  const read = (more: object): unknown => {
    const given = readCommand({ ...SENT, ...more });
    return given.kind === 'command' ? given.command : given;
  };

  it('the time of an alert is read, and anything else in its place is left out', () => {
    expect(read({ alertSinceMs: 7 })).toMatchObject({ alertSinceMs: 7 });
    for (const alertSinceMs of ['7', NaN, null]) {
      expect(read({ alertSinceMs })).not.toHaveProperty('alertSinceMs');
    }
    expect(read({ alertOver: { since: 'now', pauseId: 'p' } })).toMatchObject({
      alertOver: { since: 'now', pauseId: 'p' },
    });
    expect(read({ alertOver: 'now' })).not.toHaveProperty('alertOver');
  });
});
