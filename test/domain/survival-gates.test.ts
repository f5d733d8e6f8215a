import { describe, expect, it } from '@jest/globals';
import type { Inventory } from '../../domain/observation.js';
import { survivalGates } from '../../domain/survival-gates.js';
import { clusterOf } from '../support/cluster-builder.js';

const { inventory: EMPTY } = clusterOf({
  nodes: [{ kcm: 'inTree', ccm: 'none' }],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
});
const SINCE: Inventory = {
  ...EMPTY,
  workers: { ...EMPTY.workers, total: 3, ready: 3, uninitialized: 0 },
  services: { loadBalancers: 2, pending: 0, ingressDigest: 'a' },
  nodes: { total: 6, withoutProviderId: 0, digest: 'n' },
};

function changed(changes: {
  readonly [part in 'workers' | 'services' | 'nodes']?: Partial<Inventory[part]>;
}): Inventory {
  return {
    ...SINCE,
    workers: { ...SINCE.workers, ...changes.workers },
    services: { ...SINCE.services, ...changes.services },
    nodes: { ...SINCE.nodes, ...changes.nodes },
  };
}

describe('what must survive a migration', () => {
  it.each([
    { name: 'nothing changed', now: SINCE, lost: [] },
    {
      name: 'one load balancer lost its address',
      now: changed({ services: { pending: 1, ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    {
      name: 'an address is another one',
      now: changed({ services: { ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    {
      name: 'a user made one more, which has its address',
      now: changed({ services: { loadBalancers: 3, ingressDigest: 'b' } }),
      lost: [],
    },
    {
      name: 'one is gone, whoever took it',
      now: changed({ services: { loadBalancers: 1, ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    { name: 'a worker Node is gone', now: changed({ workers: { total: 2 } }), lost: ['CCM3010'] },
    {
      name: 'a worker has another providerID or pod range',
      now: changed({ nodes: { digest: 'm' } }),
      lost: ['CCM3010'],
    },
    {
      name: 'a worker came',
      now: changed({ workers: { total: 4 }, nodes: { digest: 'm' } }),
      lost: [],
    },
    {
      name: 'a Node keeps its taint',
      now: changed({ workers: { uninitialized: 1 } }),
      lost: ['CCM3014'],
    },
  ])('$name: $lost', ({ now, lost }) => {
    const gates = survivalGates(now, SINCE);
    expect(gates.every(({ hardness }) => hardness === 'soft')).toBe(true);
    const failed = gates.filter(({ verdict }) => verdict !== 'pass');
    expect(failed.map(({ code }) => code)).toEqual(lost);
  });
});
