import { describe, expect, it } from '@jest/globals';
import { latencyCounts, ratioCounts } from '../../../../domain/gates/samples/event-counts.js';
import { parseExposition } from '../../../../domain/gates/samples/exposition.js';
import { measured, unmeasured } from '../../../../domain/gates/samples/measurement.js';
import type {
  MetricFamilies,
  WantedMetric,
} from '../../../../domain/gates/samples/metric-families.js';
import {
  type SeriesPick,
  addCounts,
  pickedCount,
  pickedGauge,
  pickedHistogram,
} from '../../../../domain/gates/samples/picked-values.js';

const WANTED: readonly WantedMetric[] = [
  { name: 'errors', type: 'counter' },
  { name: 'depth', type: 'gauge' },
  { name: 'seconds', type: 'histogram' },
  { name: 'absent', type: 'counter' },
];

function families(page: string): MetricFamilies {
  const read = parseExposition(page, WANTED);
  if (read.kind === 'refused') throw new Error(read.why);
  return read.families;
}

const CALLS = families('errors{request="get"} 2\nerrors{request="put"} 3\n');
const because = (why: string): unknown => ({
  kind: 'unmeasured',
  why: expect.stringContaining(why),
});

describe('events that a counter has counted', () => {
  it.each<[string, SeriesPick, unknown]>([
    ['of the one series', { metric: 'errors', labels: { request: 'put' } }, measured(3)],
    ['of all series together', { metric: 'errors', several: 'sum' }, measured(5)],
    ['of several where one was meant', { metric: 'errors' }, because('2 series where one was')],
    [
      'with labels that no series has',
      { metric: 'errors', labels: { request: 'list' } },
      because('no series of errors has the labels'),
    ],
    ['of a metric that is absent', { metric: 'absent' }, because('there is no absent')],
    ['of a metric that was not read', { metric: 'other' }, because('there is no other')],
    ['before the first event', { metric: 'absent', absent: 'none', several: 'sum' }, measured(0)],
  ])('are those %s', (_name, pick, expected) => {
    expect(pickedCount(CALLS, pick)).toEqual(expected);
  });

  it.each([
    ['NaN', 'counts no events'],
    ['+Inf', 'counts no events'],
    ['-1', 'counts no events'],
    ['0.5', 'counts no events'],
    ['9007199254740993', 'counts no events'],
    ['x', 'malformed'],
  ])('are unmeasured where its value is %s', (value, why) => {
    const page = families(`errors ${value}\n`);
    expect(pickedCount(page, { metric: 'errors' })).toEqual(because(why));
  });

  it('are unmeasured where their sum can no longer count single ones', () => {
    const page = families('errors{a="1"} 9007199254740991\nerrors{a="2"} 1\n');
    expect(pickedCount(page, { metric: 'errors', several: 'sum' })).toEqual(because('too many'));
  });

  it('are unmeasured where the metric is a histogram', () => {
    const page = families('seconds_bucket{le="+Inf"} 1\nseconds_count 1\n');
    expect(pickedCount(page, { metric: 'seconds' })).toEqual(because('is a histogram'));
  });

  it('are added only if both are measured', () => {
    expect(addCounts(measured(1), measured(2))).toEqual(measured(3));
    expect(addCounts(unmeasured('a'), measured(2))).toEqual(unmeasured('a'));
    expect(addCounts(measured(1), unmeasured('b'))).toEqual(unmeasured('b'));
  });
});

describe('the value of a gauge', () => {
  it.each([
    ['a number', 'depth -1.5\n', measured(-1.5)],
    ['NaN', 'depth NaN\n', because('is no number')],
    ['infinite', 'depth -Inf\n', because('is no number')],
    ['too large as a sum', 'depth{a="1"} 1e308\ndepth{a="2"} 1e308\n', because('overflows')],
    ['absent', '', because('there is no depth')],
  ])('is read where it is %s, and never invented', (_name, page, expected) => {
    expect(pickedGauge(families(page), { metric: 'depth', several: 'sum' })).toEqual(expected);
  });
});

describe('a ratio', () => {
  it.each([
    ['one of two', measured(1), measured(2), measured({ bad: 1, total: 2 })],
    ['no events', measured(0), measured(0), measured({ bad: 0, total: 0 })],
    ['more bad events than events', measured(3), measured(2), because('contradict')],
    ['no numerator', unmeasured('gone'), measured(2), because('gone')],
    ['no denominator', measured(0), unmeasured('gone'), because('gone')],
  ])('has bad events and all events, or none of them: %s', (_name, bad, total, expected) => {
    expect(ratioCounts(bad, total)).toEqual(expected);
  });
});

describe('events above an edge of a histogram', () => {
  const page = families(
    'seconds_bucket{le="32"} 7\nseconds_bucket{le="64"} 9\nseconds_bucket{le="+Inf"} 10\nseconds_count 10\n',
  );
  const latency = pickedHistogram(page, { metric: 'seconds' });

  it('are all events without those at or below it', () => {
    expect(latencyCounts(latency, 64)).toEqual(measured({ bad: 1, total: 10 }));
    expect(latencyCounts(latency, 32)).toEqual(measured({ bad: 3, total: 10 }));
  });

  it.each([60, Infinity, Number.NaN])('are unmeasured at %s, which is no edge of it', (edge) => {
    expect(latencyCounts(latency, edge)).toEqual(because('the edges are 32, 64'));
  });

  it.each([
    ['the histogram is absent', '', {}, 'there is no seconds'],
    ['its parts contradict each other', 'seconds_count 1\n', {}, 'no bucket +Inf'],
    [
      'several histograms are there',
      'seconds_bucket{a="1",le="+Inf"} 1\nseconds_count{a="1"} 1\nseconds_bucket{a="2",le="+Inf"} 1\nseconds_count{a="2"} 1\n',
      {},
      '2 series where one was meant',
    ],
    [
      'no histogram has the labels',
      'seconds_bucket{a="1",le="+Inf"} 1\nseconds_count{a="1"} 1\n',
      { a: '2' },
      'has the labels meant',
    ],
  ])('are unmeasured where %s', (_name, text, labels, why) => {
    const picked = pickedHistogram(families(text), { metric: 'seconds', labels });
    expect(latencyCounts(picked, 64)).toEqual(because(why));
  });

  it('are unmeasured where the metric is no histogram, or was not read', () => {
    expect(pickedHistogram(CALLS, { metric: 'errors' })).toEqual(because('is no histogram'));
    expect(pickedHistogram(CALLS, { metric: 'other' })).toEqual(because('there is no other'));
  });
});
