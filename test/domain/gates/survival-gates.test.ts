import { describe, expect, it } from '@jest/globals';
import type {
  ComparedObject,
  ListsThenAndNow,
} from '../../../domain/comparison/compared-object.js';
import type {
  LoadBalancer,
  LoadBalancersThenAndNow,
} from '../../../domain/observation/load-balancers.js';
import type { Inventory } from '../../../domain/observation/observation.js';
import { survivalGates } from '../../../domain/gates/survival-gates.js';
import { clusterOf } from '../../support/cluster-builder.js';

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

describe('what must survive a migration, by counts and digests', () => {
  it('a load balancer that waited and has its address now is no loss', () => {
    const since = changed({ services: { pending: 1 } });
    const now = changed({ services: { ingressDigest: 'b' } });
    const [addresses] = survivalGates(now, since, null);
    expect(addresses).toMatchObject({ gate: 'addressesSurvived', verdict: 'pass' });
  });

  it.each([
    { name: 'nothing changed', now: SINCE, lost: [] },
    {
      name: 'one load balancer lost its address',
      now: changed({ services: { pending: 1, ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    {
      name: 'an address changed',
      now: changed({ services: { ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    {
      name: 'a user made one more, which has its address',
      now: changed({ services: { loadBalancers: 3, ingressDigest: 'b' } }),
      lost: [],
    },
    {
      name: 'a user made one more, and another lost its address',
      now: changed({ services: { loadBalancers: 3, pending: 1, ingressDigest: 'b' } }),
      lost: ['CCM3009'],
    },
    {
      name: 'one is gone, no matter who deleted it',
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
  ])('counts and digests show the losses $lost when $name', ({ now, lost }) => {
    const gates = survivalGates(now, SINCE, null);
    expect(gates.every(({ hardness }) => hardness === 'soft')).toBe(true);
    const failed = gates.filter(({ verdict }) => verdict !== 'pass');
    expect(failed.map(({ code }) => code)).toEqual(lost);
  });
});

describe('addresses of load balancers, when the original list is known', () => {
  const WEB = { key: 'shop/web', uid: 'u1', addresses: ['198.51.100.7'], leaving: false };
  const API = { key: 'shop/api', uid: 'u2', addresses: ['198.51.100.8'], leaving: false };
  const listsOf = ({ then, now }: LoadBalancersThenAndNow): ListsThenAndNow => {
    const others = { workers: [], objects: [] };
    return { then: { loadBalancers: then, ...others }, now: { loadBalancers: now, ...others } };
  };
  const detailOf = (loadBalancers: LoadBalancersThenAndNow, now: Inventory) => {
    const [gate] = survivalGates(now, SINCE, listsOf(loadBalancers));
    return gate?.verdict === 'pass' ? null : gate?.detail;
  };

  it.each<readonly [string, readonly LoadBalancer[], string | null]>([
    ['nothing changed', [WEB, API], null],
    ['its users deleted one', [WEB], null],
    ['one is being deleted', [WEB, { ...API, addresses: [], leaving: true }], null],
    ['one was deleted and recreated', [WEB, { ...API, uid: 'u3', addresses: [] }], null],
    [
      'one got an additional address',
      [WEB, { ...API, addresses: ['2001:db8::8', '198.51.100.8'] }],
      null,
    ],
    [
      'one lost its address, another one came with one',
      [WEB, { ...API, addresses: [] }, { ...API, key: 'shop/new', uid: 'u3' }],
      'Service shop/api had 198.51.100.8 and has no address',
    ],
    [
      'one has another address',
      [{ ...WEB, addresses: ['203.0.113.1'] }, API],
      'Service shop/web had 198.51.100.7 and has 203.0.113.1',
    ],
    [
      'two swapped theirs',
      [
        { ...WEB, addresses: API.addresses },
        { ...API, addresses: WEB.addresses },
      ],
      'Service shop/web had 198.51.100.7 and has 198.51.100.8; Service shop/api had 198.51.100.8 and has 198.51.100.7',
    ],
  ])('addresses of load balancers are compared: %s', (_name, now, detail) => {
    const digests = changed({ services: { loadBalancers: now.length, ingressDigest: 'b' } });
    expect(detailOf({ then: [WEB, API], now }, digests)).toBe(detail);
  });

  it('the finding names the first five Services and counts the others', () => {
    const then = Array.from({ length: 7 }, (_, nth) => ({ ...WEB, key: `shop/${String(nth)}` }));
    const now = then.map((each) => ({ ...each, addresses: [] }));
    const detail = detailOf({ then, now }, SINCE);
    expect(detail?.split('; ')).toHaveLength(6);
    expect(detail).toMatch(/; 2 more$/);
  });
});

describe('what cloud controllers write into objects', () => {
  const LIST = { loadBalancers: [], workers: ['w-1', 'w-2'], objects: [] };
  const THEN: Inventory = { ...SINCE, objectsDigest: 'x' };
  const NOW: Inventory = { ...SINCE, objectsDigest: 'y' };
  const node = (nth: number, facts: Readonly<Record<string, string>>): ComparedObject => {
    return { kind: 'Node', key: `w-${String(nth)}`, uid: `u${String(nth)}`, facts };
  };
  const detailOf = (then: Inventory, now: Inventory, lists: ListsThenAndNow | null) => {
    const found = survivalGates(now, then, lists).find(({ gate }) => gate === 'objectsUnchanged');
    if (found !== undefined) expect(found).toMatchObject({ hardness: 'soft', code: 'CCM3015' });
    return found === undefined ? 'not judged' : found.verdict === 'pass' ? null : found.detail;
  };
  const differing = (count: number): ListsThenAndNow => {
    const numbers = Array.from({ length: count }, (_, nth) => nth);
    return {
      then: { ...LIST, objects: numbers.map((nth) => node(nth, { 'finalizer f': '' })) },
      now: { ...LIST, objects: numbers.map((nth) => node(nth, {})) },
    };
  };

  it.each<readonly [string, Inventory, Inventory, ListsThenAndNow | null, string | null]>([
    ['equal digests need no list', THEN, THEN, null, null],
    ['no difference without an explanation', THEN, NOW, differing(0), null],
    ['one object', THEN, NOW, differing(1), 'Node w-0: finalizer f is gone'],
    [
      'the list of the start is gone',
      THEN,
      NOW,
      null,
      'Services, Nodes or volumes are not as at the start, and the list made then is gone',
    ],
    ['an older worker has listed now', THEN, SINCE, differing(0), null],
    ['an older build has started the run', SINCE, NOW, null, 'not judged'],
  ])('%s', (_name, then, now, lists, detail) => {
    expect(detailOf(then, now, lists)).toBe(detail);
  });

  it('the first five are named', () => {
    expect(detailOf(THEN, NOW, differing(7))?.split('; ').slice(4)).toEqual([
      'Node w-4: finalizer f is gone',
      '2 more',
    ]);
  });

  it('workers that are gone are named where the lists are known', () => {
    const now = changed({ workers: { total: 2 } });
    const lists = { then: LIST, now: { ...LIST, workers: ['w-2'] } };
    const detail = (known: ListsThenAndNow | null) => survivalGates(now, SINCE, known)[1]?.detail;
    expect(detail(lists)).toBe('3 workers were there, 2 are; gone: w-1');
    expect(detail({ then: LIST, now: LIST })).toBe('3 workers were there, 2 are');
    expect(detail(null)).toBe('3 workers were there, 2 are');
  });
});
