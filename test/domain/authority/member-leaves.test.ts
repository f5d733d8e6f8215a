import { describe, expect, it } from '@jest/globals';
import { memberLeaves } from '../../../domain/authority/member-leaves.js';
import { digestJson } from '../../../domain/digest.js';

describe('the leaves of a fleet', () => {
  const wave = (name: string) => ({ policy: { name }, materials: { name }, timings: { name } });

  it('say what each member is started with, by its wave', () => {
    const [first, second] = memberLeaves(
      { waves: [wave('pilot'), wave('main')], members: [{ uid: 'uid-1' }, { uid: 'uid-2' }] },
      [1, 7],
    );
    const digest = digestJson({ name: 'main' });
    expect(first).toEqual({
      ...{ cluster: 'uid-1', policy: digest, materials: digest, timings: digest },
    });
    expect(second).toEqual({ cluster: 'uid-2', policy: '', materials: '', timings: '' });
  });
});
