import { describe, expect, it } from '@jest/globals';
import { placesIn, setupOf, unseenNodes } from '../../../activities/gates/gate-places.js';
import type {
  ClusterObservation,
  OrderedMachine,
} from '../../../domain/observation/observation.js';
import { emptyTrace } from '../../../domain/ownership/ownership.js';
import { clusterOf, UNTOUCHED } from '../../support/cluster-builder.js';

const TRACE = emptyTrace(['service'], 0);

/** Two nodes, of which the second cannot be reached: nothing of it could be read. */
function partitioned(state?: OrderedMachine['state']): ClusterObservation {
  const observation = clusterOf(UNTOUCHED);
  const [first, second] = observation.nodes;
  if (first === undefined || second === undefined) throw new Error('there are two nodes');
  const hidden = { manifest: { state: 'unknown', why: '' }, processes: [] } as const;
  const away = { ...second, reachable: false, kcm: hidden, ccm: hidden };
  const machine = { name: second.name, side: 'source', reason: '' } as const;
  return {
    ...{ ...observation, nodes: [first, away] },
    machinesOrdered: state === undefined ? [] : [{ ...machine, state }],
  };
}

describe('where the pages of a cluster are', () => {
  it('is each running manager of the nodes that answer; the others are unseen', () => {
    const whole = clusterOf(UNTOUCHED);
    expect(placesIn(whole, TRACE).map(({ place }) => place)).toEqual([
      'kcm on cp-1',
      'kcm on cp-2',
    ]);
    expect(unseenNodes(whole)).toEqual([]);
    expect(placesIn(partitioned(), TRACE).map(({ place }) => place)).toEqual(['kcm on cp-1']);
    expect(unseenNodes(partitioned())).toEqual([{ node: 'cp-2', isNew: false }]);
  });

  it.each([
    ['ordered', [{ node: 'cp-2', isNew: true }]],
    ['booting', [{ node: 'cp-2', isNew: true }]],
    ['failed', [{ node: 'cp-2', isNew: false }]],
    ['deleting', []],
  ] as const)('a machine that is %s', (state, unseen) => {
    expect(unseenNodes(partitioned(state))).toEqual(unseen);
  });

  it('what runs is not known while a node is unseen, and so it has not changed', () => {
    expect(setupOf(clusterOf(UNTOUCHED), TRACE)).toContain('kcm:cp-2#');
    expect(setupOf(partitioned(), TRACE)).toBeNull();
    expect(setupOf(partitioned('deleting'), TRACE)).not.toBeNull();
  });
});
