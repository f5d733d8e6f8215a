import type { ListsThenAndNow } from '../comparison/compared-object.js';
import { differenceText, goneWorkers, unexplainedDifferences } from '../comparison/differences.js';
import { DIFFERENCE_CODE } from './soft-codes.js';
import type { GateVerdict } from './verdicts.js';
import type { LoadBalancersThenAndNow } from '../observation/load-balancers.js';
import { lostAddresses } from '../observation/load-balancers.js';
import type { Inventory } from '../observation/observation.js';

/** What an inventory is compared with. */
export interface Since {
  readonly inventory: Inventory;
  /** Null when the original list is no longer known: then counts and digests have to suffice. */
  readonly loadBalancers: LoadBalancersThenAndNow | null;
}

/** All of them, by name. */
export const SURVIVAL_GATES = [
  'addressesSurvived',
  'nodesSurvived',
  'nodesInitialized',
  'objectsUnchanged',
] as const;

/**
 * What a migration must not lose, compared with the start of the run. Users and autoscalers change some of it too, and
 * digests do not show the cause, so a person may accept a difference: the gates are soft. `lists`: what both inventories were made
 * from; null when that of the start is gone. Source of the set: design phase `verify`; kubermatic/kubermatic#5322 (new load
 * balancers), kubernetes#70897 (Nodes).
 */
export function survivalGates(
  now: Inventory,
  then: Inventory,
  lists: ListsThenAndNow | null,
): readonly GateVerdict[] {
  const loadBalancers = lists && {
    then: lists.then.loadBalancers,
    now: lists.now.loadBalancers,
  };
  return [
    gate('addressesSurvived', 'CCM3009', addressLoss(now, { inventory: then, loadBalancers })),
    gate('nodesSurvived', 'CCM3010', nodeLoss(now, then, lists)),
    gate('nodesInitialized', 'CCM3014', taintGain(now, then)),
    // A run that an older build started did not record them.
    ...(then.objectsDigest === undefined
      ? []
      : [gate('objectsUnchanged', DIFFERENCE_CODE, changesOf(now, then, lists))]),
  ];
}

function changesOf(now: Inventory, then: Inventory, lists: ListsThenAndNow | null): string | null {
  if (now.objectsDigest === then.objectsDigest) return null;
  if (lists === null) {
    return 'Services, Nodes or volumes are not as at the start, and the list made then is gone';
  }
  return named(unexplainedDifferences(lists).map(differenceText));
}

function gate(
  name: (typeof SURVIVAL_GATES)[number],
  code: string,
  loss: string | null,
): GateVerdict {
  return {
    gate: name,
    hardness: 'soft',
    verdict: loss === null ? 'pass' : 'fail',
    detail: loss ?? 'as at the start of the run',
    code,
  };
}

/** Losses that are reported by name; the others are counted. */
const MOST_NAMED = 5;

/** Describes the lost addresses; null when none was lost. */
export function addressLoss(now: Inventory, since: Since): string | null {
  if (since.loadBalancers === null) return lossByCounts(now, since.inventory);
  return named(lostAddresses(since.loadBalancers));
}

/** The first of them, and how many more there are; null for none. */
function named(losses: readonly string[]): string | null {
  if (losses.length === 0) return null;
  const more = losses.length - MOST_NAMED;
  return [...losses.slice(0, MOST_NAMED), ...(more > 0 ? [`${String(more)} more`] : [])].join('; ');
}

/**
 * Equal digests prove that nothing is lost. Otherwise it is unknown which address was lost, or whether its Service was
 * deleted.
 */
function lossByCounts(now: Inventory, then: Inventory): string | null {
  if (now.services.ingressDigest === then.services.ingressDigest) return null;
  const [before, served] = [servedIn(then), servedIn(now)];
  if (served < before) {
    return `${String(before)} load balancers had an address, ${String(served)} have`;
  }
  if (now.services.pending > then.services.pending) {
    return `${String(now.services.pending)} load balancers wait, ${String(then.services.pending)} did`;
  }
  // One that waited and has an address now changes the digest, too.
  const isSameSet =
    now.services.loadBalancers === then.services.loadBalancers &&
    now.services.pending === then.services.pending;
  return isSameSet ? 'addresses of load balancers changed' : null;
}

/** Load balancers that have an address. */
export function servedIn({ services }: Inventory): number {
  return services.loadBalancers - services.pending;
}

function nodeLoss(now: Inventory, then: Inventory, lists: ListsThenAndNow | null): string | null {
  if (now.workers.total < then.workers.total) {
    const counts = `${String(then.workers.total)} workers were there, ${String(now.workers.total)} are`;
    const gone = lists && named(goneWorkers(lists));
    return gone === null ? counts : `${counts}; gone: ${gone}`;
  }
  const same = now.workers.total === then.workers.total;
  return same && now.nodes.digest !== then.nodes.digest
    ? 'names, providerIDs or pod ranges of workers changed'
    : null;
}

function taintGain({ workers: now }: Inventory, { workers: then }: Inventory): string | null {
  return now.uninitialized > then.uninitialized
    ? `${String(now.uninitialized)} Nodes keep the uninitialized taint`
    : null;
}
