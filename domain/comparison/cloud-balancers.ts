import type {
  CloudBalancer,
  CloudBalancers,
  CloudList,
  ObjectDifference,
} from './compared-object.js';

/** What is kept of a listing: the load balancers of these addresses, in an order that is the same for the same. */
export function cloudListOf(
  { balancers, pools }: CloudBalancers,
  served: readonly string[],
  nodes: readonly string[],
): CloudList {
  const wanted = new Set(served);
  // Others are of probes, or of no Service of this cluster.
  const kept = balancers
    .filter(({ addresses }) => addresses.some((address) => wanted.has(address)))
    .map(({ id, addresses, pools: names }) => ({
      ...{ id, addresses: sorted(addresses), pools: sorted(names) },
    }));
  const used = sorted(kept.flatMap(({ pools: names }) => names));
  return {
    balancers: kept.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    pools: Object.fromEntries(used.map((name) => [name, sorted(pools[name] ?? [])])),
    nodes: sorted(nodes),
  };
}

function sorted(words: readonly string[]): readonly string[] {
  return [...new Set(words)].sort();
}

/**
 * What load balancers have lost. A backend went with its Node; a balancer went with its Service, whose addresses are then no longer
 * among `served`.
 */
export function lostAtCloud(
  then: CloudList,
  now: CloudList,
  served: readonly string[],
): readonly ObjectDifference[] {
  const present = new Map(now.balancers.map((each) => [each.id, each]));
  const addresses = new Set(served);
  const lostBackends = backendsLost(then, now);
  return then.balancers.flatMap((before) => {
    const after = present.get(before.id);
    const lost =
      after === undefined
        ? before.addresses.filter((address) => addresses.has(address))
        : before.addresses.filter((address) => !after.addresses.includes(address));
    const backends = after === undefined ? [] : lostBackends(before, after);
    const facts = [...lost.map((address) => `address ${address}`), ...backends];
    return facts.map((fact) => gone(before.id, fact));
  });
}

/** Of a list, or of a load balancer in it. */
export function gone(key: string, fact: string): ObjectDifference {
  return { object: { kind: 'LoadBalancer', key, uid: '' }, fact, then: '', now: null };
}

/** Judged once for each pair of sets of pools: a thousand balancers before a thousand Nodes have one. */
function backendsLost(
  then: CloudList,
  now: CloudList,
): (before: CloudBalancer, after: CloudBalancer) => readonly string[] {
  const here = new Set(now.nodes);
  const went = new Set(then.nodes.filter((node) => !here.has(node)));
  const known = new Map<string, readonly string[]>();
  return (before, after) => {
    const key = JSON.stringify([before.pools, after.pools]);
    const judged =
      known.get(key) ?? lostFacts(backendsOf(then, before), backendsOf(now, after), went);
    known.set(key, judged);
    return judged;
  };
}

function backendsOf({ pools }: CloudList, { pools: names }: CloudBalancer): ReadonlySet<string> {
  return new Set(names.flatMap((name) => pools[name] ?? []));
}

function lostFacts(
  before: ReadonlySet<string>,
  after: ReadonlySet<string>,
  went: ReadonlySet<string>,
): readonly string[] {
  const lost = [...before].filter((backend) => !after.has(backend) && !went.has(backend));
  return lost.length > 0 && after.size === 0
    ? ['every backend']
    : lost.map((backend) => `backend ${backend}`);
}
