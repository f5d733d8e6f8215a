import { describe, expect, it } from '@jest/globals';
import { cloudListOf } from '../../../domain/comparison/cloud-balancers.js';
import {
  type CloudBalancer,
  type ComparedObject,
  factKey,
  type ListsThenAndNow,
  objectIdentity,
  type ObjectList,
} from '../../../domain/comparison/compared-object.js';
import {
  differenceText,
  goneWorkers,
  unexplainedDifferences,
} from '../../../domain/comparison/differences.js';
import { CLOUD_LABELS, CLOUD_TAINTS, FACT_RULES } from '../../../domain/comparison/fact-rules.js';

type Facts = ComparedObject['facts'];

const NODE = { kind: 'Node', key: 'w-1', uid: 'u1' } as const;

function lists(then: readonly ComparedObject[], now: readonly ComparedObject[]): ListsThenAndNow {
  const others = { loadBalancers: [], workers: [] };
  return { then: { ...others, objects: then }, now: { ...others, objects: now } };
}

function texts(then: Facts, now: Facts): readonly string[] {
  const both = lists([{ ...NODE, facts: then }], [{ ...NODE, facts: now }]);
  return unexplainedDifferences(both).map(differenceText);
}

describe('differences from the start of a run', () => {
  it.each<readonly [string, Facts, Facts, readonly string[]]>([
    ['nothing changed', { 'label a': 'x' }, { 'label a': 'x' }, []],
    ['a finalizer is gone', { 'finalizer f': '' }, {}, ['finalizer f is gone']],
    ['a finalizer came', {}, { 'finalizer f': '' }, ['finalizer f was added']],
    ['an annotation came', {}, { 'annotation a': '1' }, []],
    ['an annotation is gone', { 'annotation a': '1' }, {}, ['annotation a is gone']],
    [
      'an annotation changed, whose value is not told',
      { 'annotation a': '1' },
      { 'annotation a': '2' },
      ['annotation a changed'],
    ],
    ['a providerID was filled in', {}, { providerID: 'aws:///i-1' }, []],
    [
      'a providerID changed',
      { providerID: 'aws:///i-1' },
      { providerID: 'i-1' },
      ['providerID was aws:///i-1 and is i-1'],
    ],
    ['a providerID is gone', { providerID: 'i-1' }, {}, ['providerID is gone']],
    [
      'one address came, another is gone',
      { 'address InternalIP 10.0.0.1': '' },
      { 'address InternalIP 10.0.0.2': '' },
      ['address InternalIP 10.0.0.1 is gone'],
    ],
    ['a label was filled in', {}, { 'label zone': 'a' }, []],
    [
      'a label changed',
      { 'label zone': 'a' },
      { 'label zone': 'b' },
      ['label zone was a and is b'],
    ],
    ['a label became empty', { 'label zone': 'a' }, { 'label zone': '' }, ['label zone changed']],
    ['an empty label was set', { 'label zone': '' }, { 'label zone': 'a' }, ['label zone changed']],
    ['a taint came', {}, { 'taint t': 'NoSchedule' }, ['taint t was added']],
    ['a taint is gone', { 'taint t': 'NoSchedule' }, {}, []],
    [
      'a taint has another effect',
      { 'taint t': 'NoSchedule' },
      { 'taint t': 'NoExecute' },
      ['taint t was NoSchedule and is NoExecute'],
    ],
    ['a pod range is gone', { 'podCIDR 10.0.0.0/24': '' }, {}, ['podCIDR 10.0.0.0/24 is gone']],
    ['a volume failed', {}, { 'phase Failed': '' }, ['phase Failed was added']],
    ['a volume recovered', { 'phase Failed': '' }, {}, []],
    [
      'a fact of a kind that this build does not know came',
      {},
      { 'new x': '' },
      ['new x was added'],
    ],
    ['one like an inherited member is gone', { 'toString x': '' }, {}, ['toString x is gone']],
    [
      'an annotation named like an inherited member came',
      {},
      Object.fromEntries([['annotation __proto__', '1']]),
      [],
    ],
  ])('%s', (_name, then, now, expected) => {
    expect(texts(then, now)).toEqual(expected.map((text) => `Node w-1: ${text}`));
  });

  it('compares an object only with itself: not with a later one of its name, nor another kind', () => {
    const before: ComparedObject = { ...NODE, facts: { 'finalizer f': '' } };
    const others: readonly ComparedObject[] = [
      { ...NODE, uid: 'u2', facts: {} },
      { ...NODE, kind: 'PersistentVolume', facts: {} },
      { ...NODE, key: 'w-2', facts: {} },
    ];
    expect(unexplainedDifferences(lists([before], others))).toEqual([]);
    expect(unexplainedDifferences(lists([before], [...others, { ...NODE, facts: {} }]))).toEqual([
      { object: NODE, fact: 'finalizer f', then: '', now: null },
    ]);
  });

  it('names the workers that are gone', () => {
    const { then, now } = lists([], []);
    const both = { then: { ...then, workers: ['a', 'b'] }, now: { ...now, workers: ['b', 'c'] } };
    expect(goneWorkers(both)).toEqual(['a']);
  });

  it('a fact is named by its kind, and by its name where it has one', () => {
    expect(factKey('providerID')).toBe('providerID');
    expect(factKey('finalizer', 'f')).toBe('finalizer f');
    expect(objectIdentity(NODE)).toBe('Node w-1 u1');
  });

  it('each kind of fact is one word and states its source', () => {
    for (const [kind, { source }] of Object.entries(FACT_RULES)) {
      expect(kind).toMatch(/^\w+$/);
      expect(source).toMatch(/k8s|kubernetes|cloud-provider/);
    }
    expect(CLOUD_LABELS.every((label) => label.includes('kubernetes.io/'))).toBe(true);
    expect(CLOUD_TAINTS.every((taint) => taint.includes('kubernetes.io/'))).toBe(true);
  });
});

describe('differences of load balancers at the cloud', () => {
  interface Cloud {
    readonly balancers?: readonly CloudBalancer[];
    readonly all?: readonly string[];
    readonly nodes?: readonly string[];
    /** Addresses of Services; those of the balancers by default. */
    readonly served?: readonly string[];
  }
  const A: CloudBalancer = { id: 'a', addresses: ['10.0.0.1'], pools: ['all'] };
  const NODES = ['w-1', 'w-2'];
  const listOf = ({ balancers = [A], all = NODES, nodes = NODES, served }: Cloud): ObjectList => {
    const addresses = served ?? balancers.flatMap((each) => each.addresses);
    const pools = { all, others: ['w-1'], none: [], unused: ['x'] };
    return {
      ...{ workers: [], objects: [] },
      loadBalancers: addresses.map((address) => ({
        ...{ key: 'shop/web', uid: 'u', addresses: [address], leaving: false },
      })),
      cloud: cloudListOf({ balancers, pools }, addresses, nodes),
    };
  };
  const told = (then: ObjectList, now: ObjectList): readonly string[] =>
    unexplainedDifferences({ then, now }).map(differenceText);

  // prettier-ignore
  it.each<readonly [string, Cloud, readonly string[]]>([
    ['nothing changed', {}, []],
    ['a balancer and a backend came', { balancers: [A, { ...A, id: 'b' }], all: [...NODES, 'w-3'] }, []],
    ['its pools have other names', { balancers: [{ ...A, pools: ['others', 'all'] }] }, []],
    ['its pool was emptied', { all: [] }, ['every backend is gone']],
    ['it has no pool', { balancers: [{ ...A, pools: [] }] }, ['every backend is gone']],
    ['a Node went', { all: ['w-1'], nodes: ['w-1'] }, []],
    ['all Nodes went', { all: [], nodes: [] }, []],
    ['a backend went whose Node is there', { all: ['w-1'] }, ['backend w-2 is gone']],
    ['it has another address', { balancers: [{ ...A, addresses: ['10.0.0.2'] }] }, ['address 10.0.0.1 is gone']],
    ['it is gone, and its Service is not', { balancers: [], served: ['10.0.0.1'] }, ['address 10.0.0.1 is gone']],
    ['it is gone with its Service', { balancers: [] }, []],
  ])('%s', (_name, now, expected) => {
    expect(told(listOf({}), listOf(now))).toEqual(
      expected.map((words) => `LoadBalancer a: ${words}`),
    );
  });

  it('a backend that no Node ever was is missed, too', () => {
    const then = listOf({ all: ['target-1', 'target-2'] });
    expect(told(then, listOf({ all: ['target-2'] }))).toEqual([
      'LoadBalancer a: backend target-1 is gone',
    ]);
  });

  it('a list that is missing now holds, and one that was missing then is not compared', () => {
    const { cloud: _cloud, ...without } = listOf({});
    expect(told(listOf({}), without)).toEqual(['LoadBalancer of the cloud: list is gone']);
    expect(told(without, listOf({ all: [] }))).toEqual([]);
  });

  it('a list is the same text for the same in any order, without what is of no Service', () => {
    const b: CloudBalancer = { id: 'b', addresses: ['10.0.0.2'], pools: ['others', 'all'] };
    const listed = (balancers: readonly CloudBalancer[], all: readonly string[]): string =>
      JSON.stringify(listOf({ balancers, all, served: ['10.0.0.1', '10.0.0.2'] }).cloud);
    const other = { ...A, id: 'x', addresses: ['10.9.9.9'], pools: ['none'] };
    const text = listed([A, b], ['w-1', 'w-2']);
    expect(listed([other, { ...b, pools: ['all', 'others'] }, A], ['w-2', 'w-1', 'w-2'])).toBe(
      text,
    );
    expect(text).not.toContain('unused');
    expect(text).not.toContain('none');
  });

  it('a pool that a kept list does not have is empty', () => {
    const list = cloudListOf({ balancers: [A], pools: {} }, ['10.0.0.1'], NODES);
    expect(list.pools).toEqual({ all: [] });
    const torn = { ...listOf({}), cloud: { ...list, pools: {} } };
    expect(told(listOf({}), torn)).toEqual(['LoadBalancer a: every backend is gone']);
  });
});
