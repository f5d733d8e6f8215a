import { describe, expect, it } from '@jest/globals';
import {
  countQuery,
  countSelectors,
  type CountSelectors,
  tellsBadEvents,
} from '../../../../domain/gates/own/count-query.js';
import { MOST_TARGETS, ownCountsIn } from '../../../../domain/gates/own/count-reading.js';
import type { OwnCountGate } from '../../../../domain/policy.js';
import { answered, partSeries, STARTED_AT, type Target } from './given-counts.js';

const RATIO: OwnCountGate = {
  ...{ name: 'errors', kind: 'ratio', limit: 0.1 },
  ...{ bad: 'calls{code=~"5..",app="web"}', total: 'calls{app="web"}' },
};
const OTHER: OwnCountGate = { ...RATIO, bad: 'errors', total: 'calls' };
const SLOW: OwnCountGate = {
  ...{ name: 'slow', kind: 'quantile', histogram: 'took{app="web"}', quantile: 0.99, limit: 0.5 },
};

function selectorsOf(gate: OwnCountGate): CountSelectors {
  const found = countSelectors(gate);
  if (found.kind === 'unmeasured') throw new Error(found.why);
  return found.value;
}

describe('the query of counts', () => {
  it('asks for what each process counted, of one scrape, and for targets that cannot be scraped', () => {
    const parts = countQuery(selectorsOf(RATIO), [{ cluster: 'c1' }]).split(' or label_replace');
    const inner = parts.map((part) => part.replace(/^(label_replace)?\(|, "", ""\)$/g, ''));
    const by = 'by (cluster, instance, job)';
    const all = 'calls{app="web",cluster=~"c1"}';
    const bad = 'calls{code=~"5..",app="web",cluster=~"c1"}';
    const part = (promql: string, name: string) => `${promql}, "ccm_migrate_part", "${name}"`;
    expect(inner).toEqual([
      part(`sum ${by} (${all})`, 'total'),
      part(`sum ${by} (${bad})`, 'picked'),
      part(`min ${by} (timestamp(${all}))`, 'totalFirst'),
      part(`max ${by} (timestamp(${all}))`, 'totalLast'),
      part(`min ${by} (timestamp(${bad}))`, 'pickedFirst'),
      part(`max ${by} (timestamp(${bad}))`, 'pickedLast'),
      part(
        `process_start_time_seconds{cluster=~"c1"} and on (cluster, instance, job) ${all}`,
        'started',
      ),
      part(`(up{cluster=~"c1"} == 0) and on (cluster, job) ${all}`, 'down'),
      part('count by (cluster) (calls{app="web",cluster=~"c1",code!=""})', 'label:code'),
    ]);
  });

  it.each([
    [0.5, String.raw`le=~"0\\.5"`],
    [64, String.raw`le=~"64|64\\.0"`],
    [2_097_152, String.raw`le=~"2097152|2097152\\.0|2\\.097152e\\+06"`],
    [1e12, String.raw`le=~"1000000000000|1000000000000\\.0|1e\\+12"`],
  ])('asks for a bucket by each way to write its edge: %d', (limit, written) => {
    const query = countQuery(selectorsOf({ ...SLOW, limit }), [{ cluster: 'c1' }]);
    expect(query).toContain(`took_bucket{app="web",${written},cluster=~"c1"}`);
    expect(query).toContain('took_count{app="web",cluster=~"c1"}');
    expect(query).toContain('"totalSeries"');
  });

  it.each([
    ['bad', { ...RATIO, bad: 'rate(x[5m])' }],
    ['total', { ...RATIO, total: 'rate(x[5m])' }],
    ['histogram', { ...SLOW, histogram: 'rate(x[5m])' }],
  ] as const)('has none without a selector for %s', (_name, gate) => {
    expect(countSelectors(gate)).toMatchObject({ kind: 'unmeasured' });
  });

  it.each([
    ['a metric of their own', { bad: 'errors', total: 'calls' }, true],
    ['a label', { bad: 'calls{code="5"}', total: 'calls' }, true],
    ['another value of a label', { bad: 'calls{code="5"}', total: 'calls{code=~"4|5"}' }, true],
    ['nothing', { bad: 'calls{app="a"}', total: 'calls{app="a",code="5"}' }, false],
  ])('bad events may be told by %s', (_name, series, isTold) => {
    expect(tellsBadEvents(selectorsOf({ ...RATIO, ...series }))).toBe(isTold);
  });
});

const GOOD: Target = { total: 20, picked: 2, scrapedAt: STARTED_AT + 60 };
const LABEL = partSeries({ ccm_migrate_part: 'label:code' }, [0, 2]);

const read = (gate: OwnCountGate, ...targets: readonly Target[]) => {
  const selectors = selectorsOf(gate);
  const labels = selectors.telling.length > 0 ? [LABEL] : [];
  return ownCountsIn([...labels, ...answered(0, ...targets)], selectors);
};
const counted = (bad: number, total: number, place = '{instance="a:1",job="web"}') => ({
  ...{ place, startedAtMs: STARTED_AT * 1000, scrapedAtMs: STARTED_AT * 1000 + 60_000 },
  counts: { bad, total },
});

describe('the answer to it', () => {
  it.each([
    ['bad events of all', RATIO, [GOOD], [counted(2, 20)]],
    ['none bad where no series of these exists yet', RATIO, [{ ...GOOD, picked: undefined }], [counted(0, 20)]], // prettier-ignore
    [
      'those above an edge',
      SLOW,
      [{ ...GOOD, picked: 17, more: { totalSeries: 3, pickedSeries: 3 } }],
      [counted(3, 20)],
    ],
    [
      'each process by itself',
      OTHER,
      [GOOD, { ...GOOD, instance: 'b:1', picked: undefined }],
      [counted(2, 20), counted(0, 20, '{instance="b:1",job="web"}')],
    ],
  ] as const)('has %s', (_name, gate, targets, samples) => {
    expect(read(gate, ...(targets as readonly Target[]))).toEqual({
      ...{ kind: 'measured', value: { samples, down: [] } },
    });
  });

  it('names targets that cannot be scraped', () => {
    const away = { instance: 'b:1', scrapedAt: 0, more: { down: 0 } };
    expect(read(RATIO, GOOD, away)).toMatchObject({
      value: { samples: [counted(2, 20)], down: ['{instance="b:1",job="web"}'] },
    });
  });

  it.each<[string, OwnCountGate, readonly Target[], string]>([
    ['no series', RATIO, [], 'no series of calls{app="web"} now'],
    ['bad events alone', RATIO, [{ ...GOOD, total: undefined }], 'no series of calls'],
    ['bad events that nothing tells', OTHER, [{ ...GOOD, picked: undefined }], 'of errors now'],
    ['no instance', RATIO, [{ ...GOOD, instance: '' }], 'whose is it'],
    ['no start of the process', RATIO, [{ ...GOOD, startedAt: 0 }], 'process_start_time_seconds'],
    ['an older series', RATIO, [{ ...GOOD, more: { totalFirst: 1 } }], 'of several scrapes'],
    ['a newer series', RATIO, [{ ...GOOD, more: { totalLast: 2e9 } }], 'of several scrapes'],
    ['an older bad series', RATIO, [{ ...GOOD, more: { pickedFirst: 1 } }], 'of several scrapes'],
    ['a newer bad series', RATIO, [{ ...GOOD, more: { pickedLast: 2e9 } }], 'of several scrapes'],
    ['NaN', RATIO, [{ ...GOOD, total: Number.NaN }], 'counts no events'],
    ['NaN as bad events', RATIO, [{ ...GOOD, picked: Number.NaN }], 'counts no events'],
    ['a part of an event', RATIO, [{ ...GOOD, picked: 0.5 }], 'counts no events'],
    ['more bad events than events', RATIO, [{ ...GOOD, picked: 21 }], 'contradict'],
    [
      'more events below an edge than events',
      SLOW,
      [{ ...GOOD, picked: 21, more: { totalSeries: 1, pickedSeries: 1 } }],
      'counts no events',
    ],
    [
      'an edge that some histograms lack',
      SLOW,
      [{ ...GOOD, more: { totalSeries: 2, pickedSeries: 1 } }],
      'has a bucket with this edge',
    ],
    [
      'an edge that no histogram has',
      SLOW,
      [{ ...GOOD, picked: undefined, more: { totalSeries: 2 } }],
      'has a bucket with this edge',
    ],
    [
      'one bad target',
      RATIO,
      [GOOD, { ...GOOD, instance: 'b:1', startedAt: 0 }],
      '{instance="b:1"',
    ],
    [
      'too many targets',
      RATIO,
      Array.from({ length: MOST_TARGETS + 1 }, (_, index) => ({
        ...GOOD,
        instance: String(index),
      })),
      '33 targets count, of at most 32',
    ],
  ])('is unmeasured with %s', (_name, gate, targets, why) => {
    expect(read(gate, ...targets)).toEqual({
      ...{ kind: 'unmeasured', why: expect.stringContaining(why) },
    });
  });

  it('is unmeasured where no series has the label by which events are bad', () => {
    expect(ownCountsIn(answered(0, GOOD), selectorsOf(RATIO))).toEqual({
      ...{ kind: 'unmeasured', why: 'no series of calls{app="web"} has the label code' },
    });
  });

  it('is unmeasured with two series where one was meant, as two servers together answer', () => {
    const twice = [...answered(0, GOOD), ...answered(0, GOOD)];
    expect(ownCountsIn([LABEL, ...twice], selectorsOf(RATIO))).toMatchObject({
      kind: 'unmeasured',
    });
  });

  it('is unmeasured with a series of no target', () => {
    const bare = partSeries({ ccm_migrate_part: 'total' }, [0, 20]);
    expect(ownCountsIn([LABEL, bare], selectorsOf(RATIO))).toMatchObject({
      ...{ kind: 'unmeasured', why: expect.stringContaining('whose is it') },
    });
  });

  it('is unmeasured with a series without a value', () => {
    const empty = answered(0, GOOD).map((each) => ({ ...each, points: [] }));
    expect(ownCountsIn([LABEL, ...empty], selectorsOf(RATIO))).toMatchObject({
      kind: 'unmeasured',
    });
  });
});
