import { describe, expect, it } from '@jest/globals';
import { type AnchorVerdict, judgeAnchor } from '../../../domain/transparency/judge-anchor.js';
import type { ExecutionEntry, LogEntry } from '../../../domain/transparency/log-entry.js';

const RUN = {
  ...{ workflowId: 'cluster-migration/uid-1', runId: 'run-1' },
  executions: [
    { runId: 'run-1', digests: ['a1', 'a2', 'a3'] },
    { runId: 'run-2', digests: ['b1', 'b2'] },
  ],
};
const AT = '2026-11-27T02:00:00Z';
const LATER = '2026-11-27T03:00:00Z';

function entry(changes: Partial<ExecutionEntry>): ExecutionEntry {
  return {
    ...{ kind: 'execution', at: AT, cluster: 'prod-1', workflowId: RUN.workflowId },
    ...{ runId: 'run-1', firstRunId: 'run-1', startedAt: AT, ended: 'open' },
    ...{ events: 1, history: 'a1', ...changes },
  };
}
const FIRST = entry({ events: 3, history: 'a3', ended: 'continuedAsNew' });
const SECOND = entry({ runId: 'run-2', events: 2, history: 'b2', ended: 'completed', at: LATER });
const OTHERS: readonly LogEntry[] = [
  { kind: 'quiet', at: AT },
  entry({ workflowId: 'cluster-migration/uid-2', history: 'x' }),
  entry({ firstRunId: 'run-9', runId: 'run-9', history: 'x' }),
];

function judged(entries: readonly LogEntry[], outside = entries.length): AnchorVerdict {
  return judgeAnchor(RUN, { origin: 'log', entries, outside });
}

describe('a run held against a log', () => {
  it('is anchored where all of its executions are, to their ends', () => {
    expect(judged([entry({}), FIRST, ...OTHERS, SECOND])).toEqual({
      ...{ kind: 'anchored', events: 5, by: LATER },
    });
  });

  it.each<[string, readonly LogEntry[], number, object]>([
    ['it is not in the log', OTHERS, 3, { execution: 1, anchored: 0, events: 3, by: '' }],
    [
      'its end is not in the log',
      [FIRST, entry({ runId: 'run-2', history: 'b1', at: LATER })],
      ...([2, { execution: 2, anchored: 1, events: 2, by: LATER }] as const),
    ],
    [
      'its end is under no checkpoint that is out of reach',
      [entry({}), FIRST, SECOND],
      ...([2, { execution: 2, anchored: 0, events: 2, by: '' }] as const),
    ],
    [
      'nothing is under such a checkpoint',
      [FIRST, SECOND],
      ...([0, { execution: 1, anchored: 0, events: 3, by: '' }] as const),
    ],
  ])('has a window where %s', (_case, entries, outside, window) => {
    expect(judged(entries, outside)).toEqual({ kind: 'window', ...window });
  });

  it('goes by the entry that reaches furthest, in whatever order', () => {
    expect(judged([SECOND, FIRST, entry({})]).kind).toBe('anchored');
  });

  it.each<[string, ExecutionEntry, string]>([
    ['begins otherwise', entry({ events: 2, history: 'other' }), 'are not what they were'],
    ['was cut off', entry({ runId: 'run-2', events: 5, history: 'b5' }), 'ends after 2'],
    ['goes on after its end', entry({ ended: 'terminated' }), 'and goes on'],
    ['leaves out an execution', entry({ runId: 'run-3' }), 'is left out'],
  ])('contradicts it where it %s, whatever is proven', (_case, wrong, words) => {
    for (const outside of [0, 3]) {
      const verdict = judged([FIRST, SECOND, wrong], outside);
      expect(verdict).toMatchObject({ kind: 'contradicted', why: expect.stringContaining(words) });
    }
  });
});
