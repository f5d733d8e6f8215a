import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from '@jest/globals';
import { canonicalJson, digestJson, digestText } from '../../domain/digest.js';

describe('digest', () => {
  it('a digest is the SHA-256 of a text (FIPS 180-2 example "abc")', () => {
    expect(digestText('abc')).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
  });

  it('a digest does not depend on the order of keys', () => {
    expect(digestJson({ a: 1, b: [{ c: 2, d: 3 }] })).toBe(
      digestJson({ b: [{ d: 3, c: 2 }], a: 1 }),
    );
  });

  it('a digest that is kept costs little more than its characters', () => {
    setFlagsFromString('--expose-gc');
    const collectGarbage = runInNewContext('gc') as () => void;
    const used = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const kept: string[] = [];
    const before = used();
    for (let count = 0; count < 5_000; count += 1) kept.push(digestText(String(count)));
    // 71 characters; as a tree of their parts they would be more than 800 bytes.
    expect((used() - before) / kept.length).toBeLessThan(250);
  });

  it('a digest leaves out undefined members and keeps null', () => {
    expect(canonicalJson({ b: null, a: undefined })).toBe('{"b":null}');
  });
});
