import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseExposition } from '../../../../domain/gates/samples/exposition.js';
import type { WantedMetric } from '../../../../domain/gates/samples/metric-families.js';
import { parseSampleLine } from '../../../../domain/gates/samples/sample-line.js';

interface Printed {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const label = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/);
const sample: fc.Arbitrary<Printed> = fc.record({
  labels: fc.dictionary(label, fc.string({ unit: 'binary', maxLength: 12 }), { maxKeys: 5 }),
  value: fc.double(),
});
const samples = fc.uniqueArray(sample, {
  maxLength: 8,
  selector: ({ labels }) => JSON.stringify(Object.entries(labels).sort()),
});

function printed(name: string, { labels, value }: Printed): string {
  const pairs = Object.entries(labels).map(([key, text]) => `${key}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${number(value)}\n`;
}

function escaped(text: string): string {
  return text.replace(/[\\"]/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`);
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : `${value > 0 ? '+' : '-'}Inf`;
}

const GAUGE: WantedMetric = { name: 'depth', type: 'gauge' };
const LATENCY: WantedMetric = { name: 'seconds', type: 'histogram' };

describe('any page', () => {
  it('is read as it was printed, whatever its labels hold', () => {
    fc.assert(
      fc.property(samples, (all) => {
        const page = parseExposition(all.map((one) => printed('depth', one)).join(''), [GAUGE]);
        const family = page.kind === 'page' ? page.families.get('depth') : undefined;
        const series = family?.kind === 'series' ? family.series : [];
        expect(series.map(({ labels, value }) => ({ labels: [...labels], value }))).toEqual(
          all.map(({ labels, value }) => ({
            labels: Object.entries(labels),
            value: Object.is(value, -0) ? 0 : value,
          })),
        );
      }),
    );
  });

  it('of random text has the wanted metrics or is refused, and nothing is thrown', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }),
      fc.constantFrom(
        'depth',
        'seconds_bucket',
        'seconds_count',
        '{',
        '}',
        'le="',
        '"',
        ' 1',
        '\n',
      ),
      fc.constantFrom(
        '# TYPE depth ',
        'gauge',
        ',',
        '\\',
        'NaN',
        '+Inf',
        '1e999',
        ' 1790000000000',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const page = parseExposition(`${pieces.join('')}\n`, [GAUGE, LATENCY]);
        const kinds = page.kind === 'page' ? [...page.families.keys()] : ['depth', 'seconds'];
        expect(kinds).toEqual(['depth', 'seconds']);
        expect(['sample', 'malformed']).toContain(parseSampleLine(pieces.join('')).kind);
      }),
      { numRuns: 500 },
    );
  });

  it('never shows events above an edge that a histogram does not count', () => {
    const counts = fc.array(fc.integer({ min: -1, max: 20 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(counts, fc.integer({ min: 0, max: 20 }), (buckets, count) => {
        const lines = buckets.map((events, index) => {
          const edge = index === buckets.length - 1 ? '+Inf' : String(2 ** index);
          return `seconds_bucket{le="${edge}"} ${events}\n`;
        });
        const page = parseExposition(`${lines.join('')}seconds_count ${count}\n`, [LATENCY]);
        const rises = buckets.every((events, index) => events >= (buckets[index - 1] ?? 0));
        expect(page).toMatchObject({ kind: 'page' });
        expect(page.kind === 'page' && page.families.get('seconds')?.kind).toBe(
          rises && buckets.at(-1) === count ? 'histograms' : 'contradiction',
        );
      }),
    );
  });
});
