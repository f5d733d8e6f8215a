import { describe, expect, it } from '@jest/globals';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { factsOf, isReached } from '../../../domain/ownership/cluster-facts.js';
import type { Target } from '../../../domain/vocabulary.js';
import { type NodeSpec, clusterOf, policyOf } from '../../support/cluster-builder.js';
import { kcmConfig } from '../../support/manager-configs.js';
import { withNode } from '../decision/steps/decisions.js';

const owned = (by: 'kcm' | 'ccm', ...nodes: readonly NodeSpec[]): ClusterObservation =>
  clusterOf({
    nodes,
    kcmLeader: 0,
    ccmLeader: nodes.some(({ ccm }) => ccm !== 'none') ? 0 : 'free',
    migration: { manager: by, node: 0 },
    granted: true,
  });

const EXTERNAL = { kcm: 'external', ccm: 'on' } as const;
const IN_TREE = { kcm: 'inTreeLm', ccm: 'none' } as const;

describe('whether the target is reached, whatever rules led there', () => {
  it.each<{ what: string; observation: ClusterObservation; target: Target; reached: boolean }>([
    {
      what: 'everything is migrated',
      observation: owned('ccm', EXTERNAL, EXTERNAL),
      target: 'ccm',
      reached: true,
    },
    {
      what: 'the other side owns',
      observation: owned('ccm', EXTERNAL),
      target: 'kcm',
      reached: false,
    },
    {
      what: 'an in-tree KCM is left',
      observation: owned('ccm', EXTERNAL, { kcm: 'inTreeLm', ccm: 'on' }),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'a node has no KCM',
      observation: owned('ccm', EXTERNAL, { kcm: 'none', ccm: 'on' }),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'a node has no CCM',
      observation: owned('ccm', EXTERNAL, { kcm: 'external', ccm: 'none' }),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'a CCM is without the lock',
      observation: owned('ccm', EXTERNAL, { kcm: 'external', ccm: 'off' }),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'a KCM is parked and still runs',
      observation: withNode(owned('ccm', EXTERNAL), 0, ({ kcm }) => ({
        kcm: { ...kcm, manifest: { state: 'parked', hash: 'p', config: kcmConfig('external') } },
      })),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'a KCM has not started yet',
      observation: withNode(owned('ccm', EXTERNAL, EXTERNAL), 1, ({ kcm }) => ({
        kcm: { ...kcm, processes: [] },
      })),
      target: 'ccm',
      reached: false,
    },
    {
      what: 'everything is back',
      observation: owned('kcm', IN_TREE, IN_TREE),
      target: 'kcm',
      reached: true,
    },
    {
      what: 'an external KCM is left',
      observation: owned('kcm', IN_TREE, { kcm: 'external', ccm: 'none' }),
      target: 'kcm',
      reached: false,
    },
    {
      what: 'a CCM is left',
      observation: owned('kcm', { kcm: 'inTreeLm', ccm: 'on' }),
      target: 'kcm',
      reached: false,
    },
    {
      what: 'a workload would bring a CCM back',
      observation: {
        ...owned('kcm', IN_TREE),
        ccmWorkload: { source: 'daemonSet', owner: 'ours', name: 'ccm', template: null },
      },
      target: 'kcm',
      reached: false,
    },
  ])('the target is reached when $what: $reached', ({ observation, target, reached }) => {
    expect(isReached(factsOf(observation, target, policyOf()))).toBe(reached);
  });
});
