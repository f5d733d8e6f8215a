import { describe, expect, it } from '@jest/globals';
import { automationOfFleet } from '../../../domain/fleet/automated-commands.js';
import { applyCommand } from '../../../domain/fleet/fleet-commands.js';
import type { FleetCommand, FleetOrder } from '../../../domain/fleet/fleet-command.js';
import { beginFleet, type FleetState } from '../../../domain/fleet/fleet-state.js';
import { readFleetCommand } from '../../../domain/fleet/read-fleet-command.js';
import type { AutomationPolicy } from '../../../domain/policy.js';
import { plan } from './given-fleet.js';

const BOTH: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };
const NONE: AutomationPolicy = { pause: 'refused', rollBack: 'refused' };
const BEGAN = 1_000;

function given(order: FleetOrder, rest: Partial<FleetCommand> = {}): FleetCommand {
  return {
    ...{ commandId: 'c', actor: 'automation/am', reason: 'alert', fleetRun: null },
    ...{ scope: { kind: 'fleet' as const }, order, ...rest },
  };
}

function answerIn(state: FleetState, command: FleetCommand, policy?: AutomationPolicy): string {
  const { answers } = applyCommand(state, command, policy).state;
  const { state: is = 'none', detail = '' } = answers[command.commandId] ?? {};
  return `${is}: ${detail}`;
}

const fleet = (): FleetState => beginFleet(plan(), BEGAN);

describe('what automation may do to a fleet', () => {
  it('it pauses a fleet, and a rollback pauses it where nothing is said about it', () => {
    expect(answerIn(fleet(), given({ verb: 'pause' }))).toContain('applied: open runs');
    expect(answerIn(fleet(), given({ verb: 'rollBack' }, { alertSinceMs: 2_000 }))).toContain(
      'applied: the policy refuses a rollback by automation; open runs',
    );
  });

  it('it rolls a fleet back whose policies allow it, where the alert began after the fleet', () => {
    const young = given({ verb: 'rollBack' }, { alertSinceMs: 2_000 });
    expect(answerIn(fleet(), young, BOTH)).toContain('applied: rolled back');
    const old = given({ verb: 'rollBack' }, { alertSinceMs: 999 });
    expect(answerIn(fleet(), old, BOTH)).toContain('applied: the alert began before the run');
    expect(answerIn(fleet(), given({ verb: 'rollBack' }), BOTH)).toContain('began before the run');
  });

  it.each([
    { verb: 'resume' },
    { verb: 'unfreeze' },
    { verb: 'retry', only: { kind: 'all' } },
    { verb: 'budget', clusters: 9 },
    { verb: 'stop' },
  ] as const)('it is refused $verb', (order) => {
    expect(answerIn(fleet(), given(order), BOTH)).toContain(`refused: CCM4040`);
  });

  it('a pause that every policy refuses is answered and not obeyed', () => {
    expect(answerIn(fleet(), given({ verb: 'pause' }), NONE)).toContain('refused: CCM4040');
  });

  it('an alert that began before the last word of a person changes nothing', () => {
    const paused = applyCommand(fleet(), given({ verb: 'pause' }, { commandId: 'p' })).state;
    const resume = given({ verb: 'resume' }, { commandId: 'r', actor: 'ana' });
    const resumed = applyCommand({ ...paused, nowMs: 5_000 }, resume).state;
    const refused = given({ verb: 'resume' }, { commandId: 'again', actor: 'bo' });
    const later = applyCommand({ ...resumed, nowMs: 9_000 }, refused).state;
    expect(answerIn(later, given({ verb: 'pause' }, { alertSinceMs: 5_000 }))).toBe(
      'refused: CCM4041: the alert began before ana let it go on',
    );
    expect(answerIn(later, given({ verb: 'pause' }, { alertSinceMs: 5_001 }))).toContain('applied');
    const second = { ...later.answers, r0: { ...later.answers['r'], atMs: 1, actor: 'eve' } };
    const words = { ...later, answers: second as FleetState['answers'] };
    expect(answerIn(words, given({ verb: 'pause' }, { alertSinceMs: 4_000 }))).toContain('ana');
  });

  it('all waves must allow a rollback, and all must refuse a pause', () => {
    expect(automationOfFleet([{ automation: BOTH }, { automation: BOTH }])).toEqual(BOTH);
    expect(automationOfFleet([{ automation: BOTH }, {}]).rollBack).toBe('refused');
    expect(automationOfFleet([{ automation: NONE }, {}]).pause).toBe('allowed');
    expect(automationOfFleet([{ automation: NONE }])).toEqual(NONE);
    expect(automationOfFleet([])).toEqual({ pause: 'allowed', rollBack: 'refused' });
  });

  it('the time of an alert is read from a command, and anything else in its place is left out', () => {
    const sent = given({ verb: 'pause' });
    expect(readFleetCommand({ ...sent, alertSinceMs: 7 })).toMatchObject({
      command: { alertSinceMs: 7 },
    });
    const odd = readFleetCommand({ ...sent, alertSinceMs: '7' });
    expect(odd.kind === 'command' && 'alertSinceMs' in odd.command).toBe(false);
  });
});
