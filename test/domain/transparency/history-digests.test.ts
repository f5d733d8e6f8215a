import { describe, expect, it } from '@jest/globals';
import { historyEvent as event, RICH_HISTORY as HISTORY } from '../../support/rich-history.js';
import { endingOf, historyDigests } from '../../../domain/transparency/history-digests.js';

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
    expect(digests).toHaveLength(6);
    expect(historyDigests(HISTORY.slice(0, 3))).toEqual(digests.slice(0, 3));
    expect(historyDigests([])).toEqual([]);
    // Fixed for all time: logs have it. docs/contracts/anchor-log.md says how it is made.
    expect(digests[5]).toBe(
      'sha256:073d1d82251dd26afd35d5605c92da75e043adc7414655185c1ec2ea138fb937',
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
    ['build of a deployment', 1, 'build-1', 'build-3'],
    ['build of a worker', 1, 'build-2', 'build-3'],
    ['signal', 2, '"command"', '"other"'],
    ['what a signal carries', 2, 'Yw==', 'ZQ=='],
    ['activity', 3, 'executeStep', 'closeRun'],
    ['id of an activity', 3, '"activityId":"1"', '"activityId":"2"'],
    ['what an activity was given', 3, 'YQ==', 'Yg=='],
    ['what an activity returned', 4, 'cg==', 'cw=='],
    ['activity that returned', 4, '"3"', '"2"'],
    ['encoding of what an activity was given', 3, 'anNvbi9wbGFpbg==', 'YmluYXJ5L251bGw='],
    ['encoding of what an activity returned', 4, 'anNvbi9wbGFpbg==', 'YmluYXJ5L251bGw='],
    ['name of an encoding', 4, '"encoding"', '"other"'],
    ['kind of an end', 4, 'TASK_COMPLETED', 'TASK_FAILED'],
    ['attributes of another kind', 4, 'TaskCompletedEvent', 'TaskFailedEvent'],
    [
      'attributes beside its own',
      4,
      '"eventId"',
      '"workflowTaskStartedEventAttributes":{},"eventId"',
    ],
    ['place', 4, '"eventId":"5"', '"eventId":"6"'],
    ['why a run failed', 5, 'fence lost', 'a bug'],
    ['how a run failed', 5, 'ZA==', 'ZQ=='],
    ['next execution', 5, 'run-2', 'run-3'],
  ])('change with the %s', (_what, index, from, to) => {
    const [before, after] = [historyDigests(HISTORY), historyDigests(changed(index, from, to))];
    expect(after.slice(0, index)).toEqual(before.slice(0, index));
    expect(after.slice(index)).not.toContain(before[index]);
    expect(after[5]).not.toBe(before[5]);
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
    const strange = {
      xAttributes: { input: { payloads: [null, { metadata: { a: 7, b: 'Yg==' } }] } },
    };
    expect(historyDigests([strange])).toHaveLength(1);
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
    expect(endingOf([...HISTORY, event(7, `WORKFLOW_EXECUTION_${type}`, {})])).toBe(ending);
  });

  it('is open without events', () => {
    expect(endingOf([])).toBe('open');
  });
});
