import { describe, expect, it } from '@jest/globals';
import { endingOf, historyDigests } from '../../../domain/transparency/history-digests.js';

const payloads = (...data: readonly string[]) => ({
  payloads: data.map((each) => ({ data: each })),
});

function event(id: number, type: string, said: object): Readonly<Record<string, unknown>> {
  const words = type
    .toLowerCase()
    .replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return {
    ...{ eventId: String(id), eventTime: '2026-11-27T01:00:00Z', eventType: `EVENT_TYPE_${type}` },
    [`${words}EventAttributes`]: said,
  };
}

const HISTORY = [
  event(1, 'WORKFLOW_EXECUTION_STARTED', {
    workflowType: { name: 'clusterMigration' },
    input: payloads('aW5wdXQ='),
    firstExecutionRunId: 'run-1',
    continuedExecutionRunId: 'run-0',
    memo: { fields: { ticket: { data: 'dGlja2V0' }, another: { data: 'bQ==' } } },
  }),
  event(2, 'WORKFLOW_EXECUTION_SIGNALED', { signalName: 'command', input: payloads('Yw==') }),
  event(3, 'ACTIVITY_TASK_SCHEDULED', {
    activityId: '1',
    activityType: { name: 'executeStep' },
    input: payloads('YQ=='),
  }),
  event(4, 'ACTIVITY_TASK_COMPLETED', { scheduledEventId: '3', result: payloads('cg==') }),
  event(5, 'WORKFLOW_EXECUTION_FAILED', {
    failure: { applicationFailureInfo: { details: payloads('ZA==') } },
    newExecutionRunId: 'run-2',
  }),
] as const;

/** The history with one text replaced in one event. */
function changed(index: number, from: string, to: string): readonly unknown[] {
  return HISTORY.map((each, at) => {
    if (at !== index) return each;
    const text = JSON.stringify(each).replace(from, to);
    expect(text).not.toBe(JSON.stringify(each));
    return JSON.parse(text) as unknown;
  });
}

describe('the digests of a history', () => {
  it('are one for each event, which rests on all before', () => {
    const digests = historyDigests(HISTORY);
    expect(digests).toHaveLength(5);
    expect(historyDigests(HISTORY.slice(0, 3))).toEqual(digests.slice(0, 3));
    expect(historyDigests([])).toEqual([]);
    // Fixed for all time: logs have it. docs/contracts/anchor-log.md says how it is made.
    expect(digests[4]).toBe(
      'sha256:766712ed9ca5dfcba115280705ce75525476a2405550d43acf532c30795225a3',
    );
  });

  it.each<[string, number, string, string]>([
    ['input', 0, 'aW5wdXQ=', 'b3RoZXI='],
    ['type of the workflow', 0, 'clusterMigration', 'other'],
    ['first execution', 0, 'run-1', 'run-3'],
    ['execution before', 0, 'run-0', 'run-3'],
    ['memo', 0, 'dGlja2V0', 'b3RoZXI='],
    ['name in the memo', 0, 'another', 'renamed'],
    ['time', 0, '01:00:00Z', '02:00:00Z'],
    ['signal', 1, '"command"', '"other"'],
    ['what a signal carries', 1, 'Yw==', 'ZQ=='],
    ['activity', 2, 'executeStep', 'closeRun'],
    ['id of an activity', 2, '"activityId":"1"', '"activityId":"2"'],
    ['what an activity was given', 2, 'YQ==', 'Yg=='],
    ['what an activity returned', 3, 'cg==', 'cw=='],
    ['activity that returned', 3, '"3"', '"2"'],
    ['kind of an end', 3, 'TASK_COMPLETED', 'TASK_FAILED'],
    ['attributes of another kind', 3, 'TaskCompletedEvent', 'TaskFailedEvent'],
    [
      'attributes beside its own',
      3,
      '"eventId"',
      '"workflowTaskStartedEventAttributes":{},"eventId"',
    ],
    ['place', 3, '"eventId":"4"', '"eventId":"5"'],
    ['how a run failed', 4, 'ZA==', 'ZQ=='],
    ['next execution', 4, 'run-2', 'run-3'],
  ])('change with the %s', (_what, index, from, to) => {
    const [before, after] = [historyDigests(HISTORY), historyDigests(changed(index, from, to))];
    expect(after.slice(0, index)).toEqual(before.slice(0, index));
    expect(after.slice(index)).not.toContain(before[index]);
    expect(after[4]).not.toBe(before[4]);
  });

  it('do not change with what a later server or SDK may add', () => {
    const more = HISTORY.map((each) => ({ ...each, taskId: '7', links: [{}], version: '1' }));
    expect(historyDigests(more)).toEqual(historyDigests(HISTORY));
    const [first, ...rest] = changed(
      0,
      '"firstExecutionRunId"',
      '"priority":{},"firstExecutionRunId"',
    );
    expect(historyDigests([first, ...rest])).toEqual(historyDigests(HISTORY));
  });

  it('are of any JSON, as exports may be forged', () => {
    expect(historyDigests([null, 7, { eventId: 7, xAttributes: null }])).toHaveLength(3);
  });
});

describe('the end of an execution', () => {
  it.each<[string, string]>([
    ['COMPLETED', 'completed'],
    ['FAILED', 'failed'],
    ['TIMED_OUT', 'timedOut'],
    ['CANCELED', 'canceled'],
    ['TERMINATED', 'terminated'],
    ['CONTINUED_AS_NEW', 'continuedAsNew'],
    ['SIGNALED', 'open'],
  ])('is that of its last event: %s', (type, ending) => {
    expect(endingOf([...HISTORY, event(6, `WORKFLOW_EXECUTION_${type}`, {})])).toBe(ending);
  });

  it('is open without events', () => {
    expect(endingOf([])).toBe('open');
  });
});
