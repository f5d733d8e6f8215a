import { describe, expect, it } from '@jest/globals';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { checkRecordedRun } from '../../../cli/audit/check-invariants.js';
import { recordedRun } from '../../../cli/audit/recorded-run.js';
import type { AutomationPolicy } from '../../../domain/policy.js';
import { clusterOf, UNTOUCHED } from '../../support/cluster-builder.js';
import {
  command,
  historyOf,
  ONLY,
  payloads,
  recordedBy,
  type Written,
  type WrittenActivity,
  type WrittenEvent,
} from './written-run.js';

const CONVERTER = loadDataConverter();
const START = clusterOf(UNTOUCHED);
/** All of a history has this time, unless it says otherwise: also the start of the run. */
const NOW = Date.parse('2026-11-21T10:00:00Z');
const ALERT = 'automation/am';
const PAUSES: AutomationPolicy = { pause: 'allowed', rollBack: 'refused' };

/** What the invariants say of a run toward CCM that goes on after these; its first step was before them. */
async function goingOn(
  between: readonly Written[],
  automation: AutomationPolicy = PAUSES,
  end: readonly WrittenEvent[] = [],
): Promise<string> {
  const run = recordedBy('sha256:own', START).map((one) => withAutomation(one, automation));
  const second = run.findIndex(({ name }) => name === 'executeStep') + 1;
  const written = [...run.slice(0, second), ...between, ...run.slice(second)];
  const read = await recordedRun([historyOf(written, ONLY, end)], CONVERTER);
  if (read.kind === 'unreadable') throw new Error(read.why);
  const { result, detail } = checkRecordedRun(read.events);
  return result === 'pass' ? 'unpaused' : detail.includes('I10') ? 'paused' : detail;
}

function withAutomation(one: WrittenActivity, automation: AutomationPolicy): WrittenActivity {
  const input = one.input as { readonly policy?: object };
  if (input.policy === undefined) return one;
  return { ...one, input: { ...input, policy: { ...input.policy, automation } } };
}

/** A worker's word on a command that `command` makes. */
function admission(verb: string, actor: string, answer: object): Written {
  const commandId = `${verb} by ${actor}`;
  return { name: 'admitCommand', input: { command: { commandId } }, result: answer };
}

/** The run ended and said this of a command. */
function said(commandId: string, state: string): WrittenEvent {
  const result = payloads({ answers: { [commandId]: { state, detail: '' } } });
  return { workflowExecutionCompletedEventAttributes: { result } };
}

const ADMITTED = { kind: 'admitted', principal: 'ana', note: '' };
const REFUSED = { kind: 'refused', why: 'CCM4036' };
const old = command('pause', ALERT, { commandId: 'old', alertSinceMs: NOW - 1 });
const fresh = command('pause', ALERT, { commandId: 'fresh', alertSinceMs: NOW + 1 });
const word = [command('pause'), command('resume')];
const retry = command('retry', 'ana', { reason: 'looked at it' });

describe('the pauses that the audit counts', () => {
  it('are not those of alerts that the policy refuses', async () => {
    expect(await goingOn([fresh])).toBe('paused');
    expect(await goingOn([fresh], { pause: 'refused', rollBack: 'refused' })).toBe('unpaused');
  });

  it('are not those of alerts that began before a person let the run go on', async () => {
    expect(await goingOn([...word, old])).toBe('unpaused');
    expect(await goingOn([...word, fresh])).toBe('paused');
    expect(await goingOn([old])).toBe('paused');
    expect(await goingOn([...word, command('pause', ALERT)])).toBe('paused');
  });

  it('are not ended by the word of a person that had no effect, and a refused alert ends none', async () => {
    expect(await goingOn([command('resume'), old])).toBe('paused');
    expect(await goingOn([command('rollForward', 'ana', { reason: 'x' }), old])).toBe('paused');
    expect(await goingOn([retry, old])).toBe('unpaused');
    expect(await goingOn([retry, old], PAUSES, [said('retry by ana', 'refused')])).toBe('paused');
    expect(await goingOn([retry, old], PAUSES, [said('retry by ana', 'applied')])).toBe('unpaused');
    expect(await goingOn([command('pause'), retry, old])).toBe('paused');
    expect(await goingOn([fresh, command('resume', ALERT)])).toBe('paused');
  });

  it('count each command once, and none that the run could not read', async () => {
    const again = command('pause', 'ana', { commandId: 'p' });
    expect(await goingOn([again, command('resume'), again])).toBe('unpaused');
    expect(await goingOn([command('pause', '')])).toBe('unpaused');
  });

  it('are not the ends of alerts', async () => {
    const over = { alertOver: { since: 'then', pauseId: 'fresh' }, commandId: 'over' };
    expect(await goingOn([fresh, command('resume'), command('pause', ALERT, over)])).toBe(
      'unpaused',
    );
  });

  it('are also rollbacks by automation that may only pause', async () => {
    const turn = command('rollBack', ALERT, { alertSinceMs: NOW + 1, reason: 'x' });
    expect(await goingOn([turn])).toBe('paused');
    const allowed: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };
    expect(await goingOn([turn], allowed)).toBe('unpaused');
    const older = command('rollBack', ALERT, { alertSinceMs: NOW - 1, reason: 'x' });
    expect(await goingOn([older], allowed)).toBe('paused');
    // A brake needs no signature.
    expect(await goingOn([turn, admission('rollBack', ALERT, REFUSED)], allowed)).toBe('paused');
    expect(await goingOn([turn, admission('rollBack', ALERT, ADMITTED)], allowed)).toBe('unpaused');
  });

  it('end with a resume that a worker admitted, unless a brake came before that', async () => {
    const held = [command('pause'), command('resume')];
    expect(await goingOn([...held, admission('resume', 'ana', ADMITTED)])).toBe('unpaused');
    expect(await goingOn([...held, admission('resume', 'ana', REFUSED)])).toBe('paused');
    const automated = { ...ADMITTED, byAutomation: true };
    expect(await goingOn([...held, admission('resume', 'ana', automated)])).toBe('paused');
    const overtaken = [...held, old, admission('resume', 'ana', ADMITTED)];
    expect(await goingOn(overtaken)).toBe('paused');
    // The pause of an alert overtakes no rollback, also where the run refuses it; that of a person does.
    const turn = command('rollBack', ALERT, { alertSinceMs: NOW + 1, reason: 'x' });
    const turned = admission('rollBack', ALERT, ADMITTED);
    const allowed: AutomationPolicy = { pause: 'allowed', rollBack: 'allowed' };
    expect(await goingOn([...word, turn, old, turned], allowed)).toBe('unpaused');
    const resumed = [command('pause', 'ben'), turned, command('resume', 'ben')];
    expect(await goingOn([turn, ...resumed], allowed)).toBe('unpaused');
  });

  it('compare an alert with when the run heard the word of the person, not with when it was sent', async () => {
    const task = [
      { event: { workflowTaskStartedEventAttributes: {}, eventTime: '2026-11-21T10:00:09Z' } },
    ];
    const history = [...word, ...task];
    const since = (seconds: number): Written =>
      command('pause', ALERT, { commandId: 'late', alertSinceMs: NOW + seconds * 1000 });
    // The event of the task has the id after those of the words.
    const completed = (id: number): Written => ({
      event: { workflowTaskCompletedEventAttributes: { startedEventId: String(id) } },
    });
    const id = 10;
    expect(await goingOn([...history, completed(id), since(5)])).toBe('unpaused');
    expect(await goingOn([...history, completed(id), since(10)])).toBe('paused');
    expect(await goingOn([...history, completed(0), since(5)])).toBe('paused');
  });
});
