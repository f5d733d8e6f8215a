import { describe, expect, it } from '@jest/globals';
import { ownership } from '../../domain/ownership.js';
import type { ClusterObservation } from '../../domain/observation.js';
import { clusterOf, type ClusterSpec } from '../support/cluster-builder.js';

const NODE = { kcm: 'inTreeLm', ccm: 'on' } as const;

function look(
  atSeconds: number,
  changes: Partial<ClusterSpec>,
  unreadable = false,
): ClusterObservation {
  const observation = clusterOf({
    nodes: [NODE, NODE],
    kcmLeader: 0,
    ccmLeader: 1,
    migration: { manager: 'kcm', node: 0 },
    granted: true,
    ...changes,
  });
  const nodes = unreadable
    ? observation.nodes.map((node) => ({ ...node, reachable: false }))
    : observation.nodes;
  return { ...observation, nodes, observedAtMs: atSeconds * 1000 };
}

const BY_KCM = {};
const BY_CCM = { migration: { manager: 'ccm', node: 1 } } as const;
const BY_NOBODY = { migration: 'dead' } as const;
const BY_BOTH = { nodes: [NODE, { kcm: 'inTreeLm', ccm: 'off' }] } as const;

describe('ownership', () => {
  it('tells who ran a controller when, how often it moved, and for how long nobody did', () => {
    const answer = ownership(
      [look(0, BY_KCM), look(5, BY_KCM), look(10, BY_NOBODY), look(13, BY_CCM), look(20, BY_CCM)],
      'service',
    );
    expect(answer).toEqual({
      controller: 'service',
      intervals: [
        { fromMs: 0, toMs: 10_000, owners: ['kcm:cp-1#100'] },
        { fromMs: 10_000, toMs: 13_000, owners: [] },
        { fromMs: 13_000, toMs: 20_000, owners: ['ccm:cp-2#103'] },
      ],
      overlapSeconds: 0,
      orphanSeconds: 3,
      unknownSeconds: 0,
      moves: 1,
    });
  });

  it.each([
    {
      name: 'two owners are overlap',
      trace: [look(0, BY_KCM), look(4, BY_BOTH), look(6, BY_KCM)],
      overlapSeconds: 2,
    },
    {
      name: 'nobody before the first owner is no orphan',
      trace: [look(0, BY_NOBODY), look(4, BY_KCM)],
    },
    {
      name: 'what cannot be read is neither',
      trace: [look(0, BY_KCM), look(4, BY_KCM, true), look(9, BY_KCM)],
      unknownSeconds: 5,
    },
    { name: 'an empty trace says nothing', trace: [] },
    {
      name: 'back to the same process is no move',
      trace: [look(0, BY_KCM), look(1, BY_NOBODY), look(2, BY_KCM)],
      orphanSeconds: 1,
    },
  ])('$name', ({ trace, overlapSeconds = 0, orphanSeconds = 0, unknownSeconds = 0 }) => {
    expect(ownership(trace, 'route')).toMatchObject({
      overlapSeconds,
      orphanSeconds,
      unknownSeconds,
      moves: 0,
    });
  });
});
