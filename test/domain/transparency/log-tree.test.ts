import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  leafOf,
  rootAt,
  type TreeLevels,
  treeLevels,
} from '../../../domain/transparency/log-tree.js';

const entries = (count: number): TreeLevels =>
  treeLevels(Array.from({ length: count }, (_, at) => leafOf(Buffer.from(`entry ${String(at)}`))));
const text = (root: Uint8Array | null): string => Buffer.from(root ?? []).toString('base64');

describe('the tree of a log', () => {
  // Made with golang.org/x/mod/sumdb/tlog (v0.43.0), TreeHash over records `entry 0`, `entry 1`, …
  it.each<[number, string]>([
    [0, '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
    [1, 'dziFphNIniTOLPdhmdakI/BC5LvxLX7s7pEu8nbGVwE='],
    [2, 'WkdmL9ijF9lgSaP59HxV3GfKZgUbqjaD27GbL+CaB7A='],
    [3, 'lPvQ3YNvUDAWkubQ6t5yjuGexSv/8WBu2AfIV11aqhk='],
    [7, 'mMl/C6MXXNCLAx3QhLncTmSbZNGijm6mlGRlAxc6tYc='],
    [8, 'tpcyzlyRQWLKmsz69OldP5h01ogFQ3CIqv8YSk25Z3M='],
    [255, 'z2Z5PmMp3/JC6zzuCm82rT46GW3MVzoex3XhAr6GPxw='],
    [256, '2mWW2VNp9f7zIquOTg2jsLUCNqqcijsdJG90Ecni4y4='],
    [257, 'XB/f6DU1gCLyOS3keNvgU/wTDP4dOggoeakM9r8Uv34='],
    [300, 'yjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg='],
    [999, 'CXNClPbr00rYdCIJrEiy7TBgx7OvZwIPst0lQlN5eWY='],
    [1000, 'NGxrnLicS3b6ydyyDNqG46AcCldBfBOQKOrNRTj96Vs='],
  ])('of %i entries has the root that another implementation has', (size, root) => {
    expect(text(rootAt(entries(size), size))).toBe(root);
    expect(text(rootAt(entries(1000), size))).toBe(root);
  });

  it.each([-1, 4, 1.5, NaN, Infinity])('has no root of size %d', (size) => {
    expect(rootAt(entries(3), size)).toBeNull();
    expect(rootAt([], 1)).toBeNull();
  });

  it('has each earlier root, and another one for any other entries', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.nat(), (count, at) => {
        const size = 1 + (at % count);
        const root = text(rootAt(entries(count), size));
        expect(root).toBe(text(rootAt(entries(size), size)));
        const leaves = [...(entries(count)[0] ?? [])];
        leaves[at % size] = leafOf(Buffer.from('another'));
        expect(text(rootAt(treeLevels(leaves), size))).not.toBe(root);
      }),
    );
  });

  it('takes no node for an entry', () => {
    const [[left, right] = []] = entries(2);
    const node = Buffer.concat([left ?? Buffer.of(), right ?? Buffer.of()]);
    expect(text(leafOf(node))).not.toBe(text(rootAt(entries(2), 2)));
  });
});
