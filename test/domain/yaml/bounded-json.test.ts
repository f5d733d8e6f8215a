import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OutOfBounds, parseBoundedJson } from '../../../domain/yaml/bounded-json.js';

describe('parseBoundedJson', () => {
  it('parseBoundedJson reads what JSON.parse reads, and refuses what that refuses', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
      }),
    );
    expect(() => parseBoundedJson('{"a":')).toThrow(SyntaxError);
  });

  it.each([
    ['too much depth', `${'['.repeat(101)}${']'.repeat(101)}`, /deeper than 100 levels/],
    ['too many parts', `[${'1,'.repeat(200_001)}1]`, /more than 200000 parts/],
    ['too many parts in an object', `{${'"a":1,'.repeat(100_001)}"z":1}`, /parts/],
  ])('parseBoundedJson refuses JSON with %s', (_what, text, words) => {
    expect(() => parseBoundedJson(text)).toThrow(words);
    expect(() => parseBoundedJson(text)).toThrow(OutOfBounds);
  });

  it('parseBoundedJson counts nothing inside strings, even with escaped quotes', () => {
    const words = `\\"${'[{,:'.repeat(100_000)}\\\\`;
    const text = JSON.stringify({ words });
    expect(parseBoundedJson(text)).toEqual({ words });
    expect(() => parseBoundedJson(`{"a":"${'['.repeat(200)}`)).toThrow(SyntaxError);
  });

  it('parseBoundedJson accepts a hundred busy Nodes', () => {
    const image = { names: ['registry.example/a@sha256:0', 'registry.example/a:1'], sizeBytes: 1 };
    const condition = { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'is' };
    const node = {
      metadata: { name: 'n', labels: Object.fromEntries(numbers(40).map((n) => [`l${n}`, 'v'])) },
      status: { images: numbers(50).map(() => image), conditions: numbers(6).map(() => condition) },
    };
    const text = JSON.stringify({ items: numbers(100).map(() => node) });
    expect(parseBoundedJson(text)).toEqual(JSON.parse(text));
  });
});

function numbers(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index);
}
