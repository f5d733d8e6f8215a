import { describe, expect, it } from '@jest/globals';
import type { RunView } from '../../../cli/runs/run-view.js';
import type { WatchUntil } from '../../../cli/screens/follow-run.js';
import { exitStatusFor } from '../../../cli/screens/follow-run.js';
import type { Verdict } from '../../../domain/gates/verdicts.js';
import { endedView, statusOf, viewOf } from '../given-runs.js';

const held = (
  holdReason: 'gates' | 'failure' | 'blocked' | 'approval',
  verdicts: readonly Verdict[] = [],
): RunView => {
  const gate = { gate: 'owner', hardness: 'hard', detail: '', code: 'CCM3001' } as const;
  const gates = verdicts.map((verdict) => ({ ...gate, verdict }));
  return viewOf({ status: statusOf({ holdReason, gates }) });
};

const otherCode = viewOf({ status: null, silence: { code: 'CCM4029', detail: '' } });

describe('how a watch ends', () => {
  it.each<[string, RunView, WatchUntil, ReturnType<typeof exitStatusFor>]>([
    ['an open run', viewOf(), 'settled', null],
    ['no worker answers', viewOf({ status: null }), 'settled', null],
    ['a worker of another build answers', otherCode, 'settled', 'halted'],
    ['a worker of another build, until ended', otherCode, 'ended', null],
    ['done', endedView(), 'settled', 'reached'],
    ['rolled back', endedView({ kind: 'rolledBack' }), 'settled', 'rolledBack'],
    ['a rollback, as requested', endedView({ kind: 'rolledBack' }), 'rolledBack', 'reached'],
    ['ended at all', endedView({ kind: 'rolledBack' }), 'ended', 'reached'],
    ['done instead of rolled back', endedView(), 'rolledBack', 'halted'],
    ['ended instead of paused', endedView(), 'paused', 'halted'],
    ['ended instead of held', endedView(), 'held', 'halted'],
    ['rolled back instead of paused', endedView({ kind: 'rolledBack' }), 'paused', 'rolledBack'],
    ['stopped', endedView({ kind: 'stopped' }), 'settled', 'halted'],
    ['failed', endedView({ kind: 'failed' }), 'settled', 'halted'],
    ['refused', endedView({ kind: 'refused' }), 'settled', 'refused'],
    ['terminated', viewOf({ execution: 'terminated', status: null }), 'settled', 'halted'],
    ['a run held by a gate', held('gates'), 'settled', 'halted'],
    ['a run held by a gate that failed', held('gates', ['noData', 'fail']), 'settled', 'halted'],
    [
      'a run held by a gate without data',
      held('gates', ['noData', 'error']),
      'settled',
      'inconclusive',
    ],
    ['a run held by a failure', held('failure'), 'settled', 'halted'],
    ['a blocked run, which may resolve by itself', held('blocked'), 'settled', null],
    ['a run that waits for an approval', held('approval'), 'settled', null],
    ['held, as requested', held('approval'), 'held', 'reached'],
    ['held, until ended', held('gates'), 'ended', null],
    [
      'paused, as requested',
      viewOf({ status: statusOf({ pause: 'paused' }) }),
      'paused',
      'reached',
    ],
    ['pausing is not paused', viewOf({ status: statusOf({ pause: 'pausing' }) }), 'paused', null],
    [
      'a run held by a cause that ends by itself',
      viewOf({ status: statusOf({ holdReason: 'failure', whoActs: 'environment' }) }),
      'settled',
      null,
    ],
    ['paused is not settled', viewOf({ status: statusOf({ pause: 'paused' }) }), 'settled', null],
  ])('a watch ends or goes on: %s', (_case, view, goal, expected) => {
    expect(exitStatusFor(view, goal)).toBe(expected);
  });
});
