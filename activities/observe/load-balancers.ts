import type { LoadBalancer, LoadBalancersThenAndNow } from '../../domain/load-balancers.js';
import type { Inventory } from '../../domain/observation.js';
import type { Since } from '../../domain/survival-gates.js';
import { digestRows } from './digest-rows.js';
import type { ServiceObject } from './objects.js';

/** Services that are to have a load balancer. */
export function loadBalancersOf(services: readonly ServiceObject[]): readonly LoadBalancer[] {
  return services
    .filter(({ spec }) => spec?.type === 'LoadBalancer')
    .map(({ metadata, status }) => ({
      key: `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`,
      uid: metadata?.uid ?? '',
      addresses: addressesOf(status),
      // Its finalizer waits for the owner of the service controller (P10).
      leaving: metadata?.deletionTimestamp !== undefined,
    }));
}

function addressesOf(status: ServiceObject['status']): readonly string[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  return ingress.map(({ ip, hostname }) => ip ?? hostname ?? '').sort();
}

/** What an inventory keeps of them. */
export function ingressDigest(balancers: readonly LoadBalancer[]): string {
  return digestRows(balancers.map(({ key, addresses }) => [key, addresses]));
}

/**
 * A comparison with an earlier inventory. A list cached by a worker counts only if the inventory was made from it, which is
 * mostly not the case after a restart of the worker.
 */
export function sinceInventory(
  inventory: Inventory,
  then: readonly LoadBalancer[] | null,
  now: readonly LoadBalancer[] | null,
): Since {
  return { inventory, loadBalancers: bothOf(inventory, then, now) };
}

function bothOf(
  { services }: Inventory,
  then: readonly LoadBalancer[] | null,
  now: readonly LoadBalancer[] | null,
): LoadBalancersThenAndNow | null {
  if (then === null || now === null) return null;
  return ingressDigest(then) === services.ingressDigest ? { then, now } : null;
}
