import { describe, expect, it } from '@jest/globals';
import {
  bundlesOf,
  tileHashes,
  tilePath,
  tilesOf,
} from '../../../domain/transparency/log-tiles.js';
import { treeLevels } from '../../../domain/transparency/log-tree.js';

const paths = (places: ReturnType<typeof tilesOf>): readonly string[] => places.map(tilePath);

describe('the parts of a log', () => {
  it.each<[number, readonly string[], readonly string[]]>([
    [0, [], []],
    [1, ['tile/entries/000.p/1'], ['tile/0/000.p/1']],
    [256, ['tile/entries/000'], ['tile/0/000', 'tile/1/000.p/1']],
    [
      300,
      ['tile/entries/000', 'tile/entries/001.p/44'],
      ['tile/0/000', 'tile/0/001.p/44', 'tile/1/000.p/1'],
    ],
  ])('of %i entries', (size, bundles, tiles) => {
    expect(paths(bundlesOf(size))).toEqual(bundles);
    expect(paths(tilesOf(size))).toEqual(tiles);
  });

  it('have a third level of 65,536 entries', () => {
    expect(paths(tilesOf(65_536)).slice(-2)).toEqual(['tile/1/000', 'tile/2/000.p/1']);
  });

  it.each<[number, number, string]>([
    [0, 1_234_067, 'tile/0/x001/x234/067'],
    [1, 999, 'tile/1/999'],
    [2, 1000, 'tile/2/x001/000'],
    [0, 1_000_000, 'tile/0/x001/x000/000'],
  ])('lie where C2SP tlog-tiles says: level %i, index %i', (level, index, path) => {
    expect(tilePath({ level, index, width: 256 })).toBe(path);
  });

  it('have the hashes of their level', () => {
    const leaves = Array.from({ length: 600 }, (_, at) => Uint8Array.of(at % 256, at >> 8));
    const levels = treeLevels(leaves);
    expect(tileHashes(levels, { level: 0, index: 2, width: 88 })).toEqual(leaves.slice(512));
    expect(tileHashes(levels, { level: 1, index: 0, width: 2 })).toEqual(levels[8]);
    expect(tileHashes(levels, { level: 2, index: 0, width: 1 })).toEqual([]);
    expect(tileHashes(levels, { level: null, index: 0, width: 1 })).toEqual(leaves.slice(0, 1));
  });
});
