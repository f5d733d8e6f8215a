import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type MemberLeaf,
  isMember,
  memberLevels,
  memberProof,
  membersRoot,
  readMemberProof,
} from '../../../domain/authority/member-tree.js';

const leaf = (index: number): MemberLeaf => ({
  cluster: `uid-${String(index)}`,
  ...{ policy: 'p', materials: 'm', timings: 't' },
});
const tree = (size: number) =>
  memberLevels(Array.from({ length: size }, (_, index) => leaf(index)));
const sizes = fc.integer({ min: 1, max: 70 });

describe('the members of a fleet', () => {
  it('each of them is proven by its place', () => {
    fc.assert(
      fc.property(sizes, (size) => {
        const levels = tree(size);
        const root = membersRoot(levels);
        for (let index = 0; index < size; index += 1) {
          expect(isMember(root, leaf(index), memberProof(levels, index))).toBe(true);
        }
      }),
    );
  });

  it('no other cluster is, whatever proof it brings', () => {
    fc.assert(
      fc.property(sizes, fc.nat(), fc.nat(), (size, one, other) => {
        const levels = tree(size);
        const [index, foreign] = [one % size, other % size];
        const proof = memberProof(levels, index);
        fc.pre(index !== foreign);
        expect(isMember(membersRoot(levels), leaf(foreign), proof)).toBe(false);
        const changed = { ...leaf(index), policy: 'another' };
        expect(isMember(membersRoot(levels), changed, proof)).toBe(false);
      }),
    );
  });

  it.each<[string, Partial<ReturnType<typeof memberProof>>]>([
    ['a place before the first', { index: -1 }],
    ['a place after the last', { index: 5 }],
    ['another place', { index: 3 }],
    ['a step less', { path: [] }],
    ['a step more', { path: [...memberProof(tree(5), 2).path, 'sha256:0'] }],
    ['a smaller fleet', { size: 3 }],
  ])('a proof with %s proves nothing', (_, change) => {
    const levels = tree(5);
    const proof = { ...memberProof(levels, 2), ...change };
    expect(isMember(membersRoot(levels), leaf(2), proof)).toBe(false);
  });

  it('a node of the tree does not pass for a member', () => {
    const levels = tree(2);
    const [left = '', right = ''] = levels[0] ?? [];
    const inner = { ...leaf(0), cluster: `${left} ${right}` };
    expect(isMember(membersRoot(levels), inner, { index: 0, size: 1, path: [] })).toBe(false);
  });

  it('a fleet without members has a root, and proves none', () => {
    const levels = memberLevels([]);
    expect(membersRoot(levels)).toMatch(/^sha256:/);
    expect(isMember(membersRoot(levels), leaf(0), memberProof(levels, 0))).toBe(false);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a text', 'x'],
    ['a place that is no number', { index: '1', size: 2, path: [] }],
    ['a part of a place', { index: 1, size: 2.5, path: [] }],
    ['no path', { index: 1, size: 2 }],
    ['a path of anything', { index: 1, size: 2, path: [1] }],
    ['a path as deep as a well', { index: 1, size: 2, path: Array.from({ length: 33 }, () => '') }],
  ])('%s is no proof', (_, value) => {
    expect(readMemberProof(value)).toBeNull();
  });

  it('a proof that was sent is read', () => {
    const proof = memberProof(tree(9), 4);
    expect(readMemberProof({ ...proof, more: 1 })).toEqual(proof);
  });
});
