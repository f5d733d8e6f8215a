import { describe, expect, it } from '@jest/globals';
import { fleetLevels, memberLeaves } from '../../../domain/authority/member-leaves.js';
import { membersRoot } from '../../../domain/authority/member-tree.js';
import { digestJson } from '../../../domain/digest.js';

describe('the leaves of a fleet', () => {
  const wave = (name: string) => ({ policy: { name }, materials: { name }, timings: { name } });

  it('say what each member is started with, by its wave', () => {
    const members = ['uid-1', 'uid-2', 'uid-3'].map((uid) => ({ uid }));
    const fleet = { waves: [wave('pilot'), wave('main')], members };
    const [first, second, third] = memberLeaves(fleet, [1, 7]);
    expect(membersRoot(fleetLevels(fleet, [1, 7]))).toMatch(/^sha256:/);
    const digest = digestJson({ name: 'main' });
    expect(first).toEqual({
      ...{ cluster: 'uid-1', policy: digest, materials: digest, timings: digest },
    });
    expect(second).toEqual({ cluster: 'uid-2', policy: '', materials: '', timings: '' });
    expect(third).toEqual({ ...second, cluster: 'uid-3' });
  });
});
