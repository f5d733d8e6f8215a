import { textAt, valueAt } from '../../base/json.js';
import { loadBalancerName } from '../cloud/fake-cloud.js';
import type { StoredObject } from '../model.js';

export const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';

/** The cloud's name for a Service's load balancer. */
export function balancerOf(service: StoredObject): string {
  return loadBalancerName(service.metadata.uid);
}

export function wantsBalancer(service: StoredObject): boolean {
  return isBalanced(service) && service.metadata.deletionTimestamp === undefined;
}

/** Whether it has a load balancer, or one to clean up. */
export function concerns(service: StoredObject): boolean {
  return isBalanced(service) || hasCleanupFinalizer(service);
}

export function hasCleanupFinalizer(service: StoredObject): boolean {
  return (service.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER);
}

/** Upstream's `needsUpdate`: a change of status alone needs no sync. */
export function needsSync(before: StoredObject, after: StoredObject): boolean {
  return watchedParts(before) !== watchedParts(after);
}

function isBalanced(service: StoredObject): boolean {
  const hasOtherClass = textAt(service, 'spec', 'loadBalancerClass') !== '';
  return valueAt(service, 'spec', 'type') === 'LoadBalancer' && !hasOtherClass;
}

function watchedParts(service: StoredObject): string {
  const { annotations, deletionTimestamp } = service.metadata;
  return JSON.stringify([service['spec'], annotations, deletionTimestamp]);
}
