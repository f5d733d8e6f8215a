import { describe, expect, it } from '@jest/globals';
import {
  type AnchorVerdict,
  judgeAnchor,
  stampedSizes,
} from '../../../domain/transparency/judge-anchor.js';
import type { ExecutionEntry, LogEntry } from '../../../domain/transparency/log-entry.js';
import type { UtcTime } from '../../../domain/transparency/log-stamps.js';

const moment = (seconds: number): UtcTime => ({ at: `second ${String(seconds)}`, seconds });

const RUN = {
  ...{ workflowId: 'cluster-migration/uid-1', runId: 'run-1' },
  executions: [
    { runId: 'run-1', digests: ['a1', 'a2', 'a3'], times: [moment(100), moment(200), moment(300)] },
    { runId: 'run-2', digests: ['b1', 'b2'], times: [moment(310), moment(400)] },
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
    expect(judged(entries, outside)).toEqual({ kind: 'window', late: false, ...window });
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

describe('a run held against a log that was stamped', () => {
  const ENTRIES = [entry({}), FIRST, ...OTHERS, SECOND];
  /** `stamps`: size of the log, and second. */
  function stamped(
    stamps: readonly (readonly [number, number])[],
    { outside = 0, entries = ENTRIES, withinSeconds = 100 } = {},
  ) {
    const made = new Map(stamps.map(([size, seconds]) => [size, moment(seconds)]));
    const log = { origin: 'log', entries, outside };
    return judgeAnchor(RUN, log, { made, withinSeconds });
  }
  const window = (execution: number, anchored: number, by: string, late: boolean) => ({
    ...{ kind: 'window', execution, anchored, by, late },
    events: execution === 1 ? 3 : 2,
  });

  it('is anchored where each event was stamped in time, and none before', () => {
    const end = { kind: 'anchored', events: 5, by: 'second 410' };
    expect(
      stamped([
        [1, 150],
        [2, 300],
        [6, 410],
      ]),
    ).toEqual(end);
    expect(
      stamped([
        [1, 200],
        [2, 300],
        [6, 410],
      ]),
    ).toEqual(end);
  });

  it.each<[string, readonly (readonly [number, number])[], object]>([
    ['nothing was stamped', [], window(1, 0, '', false)],
    [
      'its first event was stamped too late',
      [
        [1, 201],
        [2, 300],
        [6, 410],
      ],
      window(1, 0, '', true),
    ],
    [
      'an event before the last was',
      [
        [1, 150],
        [2, 301],
        [6, 410],
      ],
      window(1, 1, 'second 150', true),
    ],
    [
      'its end was not stamped',
      [
        [1, 150],
        [2, 300],
      ],
      window(2, 0, '', false),
    ],
    [
      'its end was stamped too late',
      [
        [1, 150],
        [2, 300],
        [6, 411],
      ],
      window(2, 0, '', true),
    ],
    [
      'an hour has no number',
      [
        [1, NaN],
        [2, 300],
        [6, 410],
      ],
      window(1, 0, '', true),
    ],
  ])('has a window where %s', (_case, stamps, expected) => {
    expect(stamped(stamps)).toEqual(expected);
  });

  it('goes by the first timestamp over an entry, whatever came later', () => {
    expect(
      stamped([
        [6, 410],
        [1, 150],
        [2, 300],
      ]).kind,
    ).toBe('anchored');
    expect(stamped([[6, 150]])).toMatchObject({ kind: 'anchored' });
    expect(
      stamped([
        [3, 300],
        [6, 410],
      ]),
    ).toEqual(window(1, 0, '', true));
  });

  it('goes on from what is under an outside checkpoint', () => {
    expect(stamped([[6, 410]], { outside: 2 })).toMatchObject({ kind: 'anchored', events: 5 });
    expect(stamped([[6, 511]], { outside: 2 })).toEqual(window(2, 0, '', true));
    expect(stamped([], { outside: 2 })).toEqual(window(2, 0, '', false));
  });

  it('goes by the entry that speaks of the fewest events, in whatever order', () => {
    const entries = [FIRST, entry({}), ...OTHERS, SECOND];
    expect(
      stamped(
        [
          [1, 150],
          [6, 410],
        ],
        { entries },
      ),
    ).toEqual(window(1, 0, '', true));
    expect(
      stamped(
        [
          [1, 150],
          [2, 180],
          [6, 410],
        ],
        { entries },
      ).kind,
    ).toBe('anchored');
  });

  it('reads the timestamps that it needs, and no others', () => {
    const log = { origin: 'log', entries: ENTRIES, outside: 0 };
    expect(stampedSizes(RUN, log, [1, 2, 3, 4, 7, 9])).toEqual([1, 2, 7]);
    expect(stampedSizes(RUN, log, [2, 3])).toEqual([2]);
    expect(stampedSizes(RUN, log, [])).toEqual([]);
  });
});
