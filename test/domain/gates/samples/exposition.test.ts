import { describe, expect, it } from '@jest/globals';
import {
  MOST_PAGE_CHARACTERS,
  parseExposition,
} from '../../../../domain/gates/samples/exposition.js';
import type {
  MetricFamily,
  WantedMetric,
} from '../../../../domain/gates/samples/metric-families.js';

const ERRORS: WantedMetric = { name: 'service_errors_total', type: 'counter' };
const DEPTH: WantedMetric = { name: 'workqueue_depth', type: 'gauge' };
const LATENCY: WantedMetric = { name: 'sync_seconds', type: 'histogram' };
const WANTED = [ERRORS, DEPTH, LATENCY];

function familyOn(page: string, { name }: WantedMetric): MetricFamily | string {
  const read = parseExposition(page, WANTED);
  return read.kind === 'refused' ? read.why : (read.families.get(name) ?? 'not asked for');
}

/** Values by labels. */
function valuesOn(page: string, metric: WantedMetric): unknown {
  const family = familyOn(page, metric);
  if (typeof family === 'string' || family.kind !== 'series') return family;
  return family.series.map(({ labels, value }) => [Object.fromEntries(labels), value]);
}

const HISTOGRAM = [
  '# TYPE sync_seconds histogram',
  'sync_seconds_bucket{le="1"} 2',
  'sync_seconds_bucket{le="64"} 5',
  'sync_seconds_bucket{le="+Inf"} 6',
  'sync_seconds_sum 99.5',
  'sync_seconds_count 6',
  '',
].join('\n');

describe('a page of metrics', () => {
  it('gives the wanted metrics only, with labels, values and types', () => {
    const page = [
      '# HELP service_errors_total Failed syncs.',
      '# TYPE service_errors_total counter',
      'service_errors_total 7',
      'service_errors_total_of_others 8',
      '# TYPE workqueue_depth gauge',
      'workqueue_depth{name="service"} 1.5e+01',
      'workqueue_depth{name="node",} 0',
      'go_goroutines 500',
      '',
    ].join('\n');
    expect(valuesOn(page, ERRORS)).toEqual([[{}, 7]]);
    expect(valuesOn(page, DEPTH)).toEqual([
      [{ name: 'service' }, 15],
      [{ name: 'node' }, 0],
    ]);
    expect(familyOn(page, LATENCY)).toEqual({ kind: 'absent' });
    expect(familyOn(page, { name: 'go_goroutines', type: 'gauge' })).toBe('not asked for');
  });

  it.each([
    ['a quote, a backslash and a line end', String.raw`a\"b\\c\nd`, 'a"b\\c\nd'],
    ['a backslash before n', String.raw`\\n`, '\\n'],
    ['braces and commas', '},{=', '},{='],
    ['nothing', '', ''],
  ])('unescapes a label: %s', (_name, written, meant) => {
    expect(valuesOn(`workqueue_depth{name="${written}"} 1\n`, DEPTH)).toEqual([
      [{ name: meant }, 1],
    ]);
  });

  it.each([
    ['NaN', Number.NaN],
    ['+Inf', Infinity],
    ['Inf', Infinity],
    ['-Inf', -Infinity],
    ['-.5', -0.5],
    ['3.', 3],
  ])('keeps %s as it is written, for a later judgement', (written, value) => {
    expect(valuesOn(`workqueue_depth ${written}\n`, DEPTH)).toEqual([[{}, value]]);
  });

  it.each([
    ['without a value', 'workqueue_depth'],
    ['with a blank for a value', 'workqueue_depth '],
    ['with a word for a value', 'workqueue_depth many'],
    ['with a hexadecimal value', 'workqueue_depth 0x10'],
    ['with a number that no double holds', 'workqueue_depth 1e999'],
    ['with an exemplar', 'workqueue_depth 1 # {trace="x"} 0.5'],
    ['with text behind its timestamp', 'workqueue_depth 1 1790000000000 2'],
    ['with labels that do not end', 'workqueue_depth{name="a" 1'],
    ['with a value inside its labels', 'workqueue_depth{name} 1'],
    ['with a label without quotes', 'workqueue_depth{name=a} 1'],
    ['with an unknown escape', String.raw`workqueue_depth{name="\t"} 1`],
    ['with one label twice', 'workqueue_depth{name="a",name="b"} 1'],
    [
      'with too many labels',
      `workqueue_depth{${Array.from({ length: 65 }, (_, index) => `l${index}="x"`).join(',')}} 1`,
    ],
    ['that is too long', `workqueue_depth{name="${'x'.repeat(9000)}"} 1`],
    ['that occurs twice', 'workqueue_depth{a="1",b="2"} 1\nworkqueue_depth{b="2",a="1"} 1'],
    ['of another type', '# TYPE workqueue_depth counter\nworkqueue_depth 1'],
    ['with two types', '# TYPE workqueue_depth gauge\n# TYPE workqueue_depth gauge'],
    ['with a type that ends early', '# TYPE workqueue_depth'],
  ])('makes a contradiction of its metric alone of a line %s', (_name, line) => {
    const page = `${line}\nservice_errors_total 3\n`;
    expect(familyOn(page, DEPTH)).toMatchObject({ kind: 'contradiction' });
    expect(valuesOn(page, ERRORS)).toEqual([[{}, 3]]);
  });

  it.each([
    ['of another metric with any text behind it', 'go_info{ 1'],
    ['of a metric whose name begins like a wanted one', 'workqueue_depth_other x'],
    ['that is very long', `go_info ${'x'.repeat(100_000)}`],
    ['with another comment', '# EOF'],
    ['with the type of another metric', '# TYPE go_info gauge'],
    ['with no declared kind', '# TYPE workqueue_depth untyped'],
    ['that is empty', ''],
  ])('passes over a line %s', (_name, line) => {
    expect(valuesOn(`${line}\nworkqueue_depth 1\n`, DEPTH)).toEqual([[{}, 1]]);
  });

  it.each([
    ['longer than allowed', 'x'.repeat(MOST_PAGE_CHARACTERS + 1), 'longer than 8388608'],
    ['of too many lines', '\n'.repeat(200_001), 'more than 200000 lines'],
    ['cut off', 'workqueue_depth 1\nservice_errors_total 1', 'ends within a line'],
    [
      'with too many wanted series',
      Array.from({ length: 5001 }, (_, n) => `workqueue_depth{n="${n}"} 1\n`).join(''),
      'more than 5000',
    ],
  ])('is refused as a whole when it is %s', (_name, page, why) => {
    expect(familyOn(page, DEPTH)).toContain(why);
  });

  it('of no characters has nothing', () => {
    expect(parseExposition('', [DEPTH])).toEqual({
      kind: 'page',
      families: new Map([[DEPTH.name, { kind: 'absent' }]]),
      timestamps: [],
    });
  });

  it('names the explicit timestamps of the wanted samples once each', () => {
    const page = 'workqueue_depth 1 1790000000000\nservice_errors_total 2 1790000000000\n';
    expect(parseExposition(page, WANTED)).toMatchObject({ timestamps: [1_790_000_000_000] });
  });
});

describe('a histogram on a page', () => {
  it('is put together from its buckets and its count, whatever their order', () => {
    const lines = HISTOGRAM.trimEnd().split('\n').toReversed();
    expect(familyOn(`${lines.join('\n')}\n`, LATENCY)).toEqual({
      kind: 'histograms',
      histograms: [
        {
          labels: new Map(),
          count: 6,
          buckets: [
            { edge: 1, count: 2 },
            { edge: 64, count: 5 },
            { edge: Infinity, count: 6 },
          ],
        },
      ],
    });
  });

  it('is one for each set of other labels', () => {
    const of = (verb: string): string =>
      `sync_seconds_bucket{verb="${verb}",le="+Inf"} 1\nsync_seconds_count{verb="${verb}"} 1\n`;
    expect(familyOn(of('get') + of('put'), LATENCY)).toMatchObject({
      histograms: [{ labels: new Map([['verb', 'get']]) }, { labels: new Map([['verb', 'put']]) }],
    });
  });

  it.each([
    ['counts fall from bucket to bucket', 'le="1"} 2', 'le="1"} 9', 'not cumulative'],
    ['one edge is written in two ways', 'le="1"', 'le="64.0"', 'not cumulative'],
    ['its count is another than that of +Inf', 'count 6', 'count 7', 'its count 7'],
    ['it has no bucket +Inf', 'le="+Inf"', 'le="128"', 'no bucket +Inf'],
    ['it has no buckets', /.*bucket.*\n/g, '', 'no bucket +Inf'],
    ['it has no count', /.*count.*\n/, '', 'no count'],
    ['a count is not a number', 'le="1"} 2', 'le="1"} NaN', 'counts no events'],
    ['a count is negative', 'le="1"} 2', 'le="1"} -1', 'counts no events'],
    ['a count is part of an event', 'le="1"} 2', 'le="1"} 1.5', 'counts no events'],
    ['a bucket has no edge', '{le="1"}', '', 'a bucket has no edge'],
    ['its count has an edge', '_count', '_count{le="1"}', 'its count has an edge'],
    ['an edge is a word', 'le="1"', 'le="one"', 'edge that is not a number'],
    ['an edge is NaN', 'le="1"', 'le="NaN"', 'edge that is not a number'],
    ['one bucket occurs twice', 'le="1"', 'le="64"', 'occurs twice'],
  ])('contradicts itself when %s', (_name, from, to, why) => {
    const family = familyOn(HISTOGRAM.replace(from, to), LATENCY);
    expect(family).toMatchObject({ kind: 'contradiction', why: expect.stringContaining(why) });
  });
});
