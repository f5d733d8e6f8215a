import { loadBalancerName } from '../cloud/fake-cloud.js';
import { objectAt, textAt, valueAt } from '../../base/json.js';
import type { StoredObject } from '../model.js';
import type { LoopContext, SeenObject } from './loop-context.js';
import { keyOf } from '../store/metadata.js';
import { readyStatus } from './node-facts.js';

export const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const RETRY_MS = 5000;

/** Services with a load balancer. Source: kubernetes/cloud-provider controllers/service/controller.go v0.30.0. */
export function serviceLoop(context: LoopContext): void {
  new ServiceLoop(context).start();
}

type Task = 'sync' | 'hosts';

class ServiceLoop {
  private readonly context: LoopContext;
  /** Pending work by Service key, first in first out; one worker, as by upstream's default. */
  private readonly queue = new Map<string, Task>();
  private readonly balanced = new Set<string>();
  private working = false;

  constructor(context: LoopContext) {
    this.context = context;
  }

  start(): void {
    this.context.watch('services', (seen) => {
      this.onService(seen);
    });
    this.context.watch('nodes', (seen) => {
      this.onNode(seen);
    });
  }

  private onService({ object, previous, gone }: SeenObject): void {
    const key = keyOf(object);
    if (gone) {
      this.queue.delete(key);
      this.balanced.delete(key);
    } else if (concerns(object) && (previous === null || needsSync(previous, object))) {
      this.enqueue(key, 'sync');
    }
  }

  /** A Node that joins, leaves or changes readiness changes the hosts of every load balancer. */
  private onNode({ object, previous, gone }: SeenObject): void {
    const changes = gone || previous === null || readyStatus(previous) !== readyStatus(object);
    if (changes) for (const key of this.balanced) this.enqueue(key, 'hosts');
  }

  private enqueue(key: string, task: Task): void {
    if (this.queue.get(key) !== 'sync') this.queue.set(key, task);
    if (this.working) return;
    this.working = true;
    this.context.timers.schedule(0, this.work);
  }

  private readonly work = (): void => {
    const next = this.queue.entries().next();
    if (next.done === true) {
      this.working = false;
      return;
    }
    const [key, task] = next.value;
    this.queue.delete(key);
    this.context.timers.schedule(this.treat(key, task), this.work);
  };

  /** Returns how many milliseconds the work took. */
  private treat(key: string, task: Task): number {
    const [namespace = '', name = ''] = key.split('/');
    const answer = this.context.client.get({ resource: 'services', namespace, name });
    if (!answer.ok) {
      if (answer.code !== 404) this.retry(key);
      return 1;
    }
    const service = answer.object;
    if (task === 'hosts') return this.context.call('UpdateLoadBalancer', balancerOf(service));
    this.context.count('loadBalancerSync');
    return wantsBalancer(service) ? this.ensure(key, service) : this.remove(key, service);
  }

  private ensure(key: string, service: StoredObject): number {
    const finalizers = service.metadata.finalizers ?? [];
    const guarded = finalizers.includes(CLEANUP_FINALIZER)
      ? service
      : this.save(key, {
          ...service,
          metadata: { ...service.metadata, finalizers: [...finalizers, CLEANUP_FINALIZER] },
        });
    if (guarded === undefined) return 1;
    const name = balancerOf(guarded);
    const tookMs = this.context.call('EnsureLoadBalancer', name);
    const ip = this.context.cloud.ensureLoadBalancer(name);
    this.balanced.add(key);
    this.publish(key, guarded, [{ ip }]);
    return tookMs;
  }

  private remove(key: string, service: StoredObject): number {
    const finalizers = service.metadata.finalizers ?? [];
    if (!finalizers.includes(CLEANUP_FINALIZER)) return 1;
    const name = balancerOf(service);
    let tookMs = this.context.call('GetLoadBalancer', name);
    if (this.context.cloud.loadBalancers.delete(name)) {
      tookMs += this.context.call('EnsureLoadBalancerDeleted', name);
    }
    this.balanced.delete(key);
    const isGoing = service.metadata.deletionTimestamp !== undefined;
    const cleared = isGoing ? service : this.publish(key, service, undefined);
    if (cleared === undefined) return tookMs;
    const left = finalizers.filter((each) => each !== CLEANUP_FINALIZER);
    this.save(key, { ...cleared, metadata: { ...cleared.metadata, finalizers: left } });
    return tookMs;
  }

  private publish(
    key: string,
    service: StoredObject,
    ingress: readonly object[] | undefined,
  ): StoredObject | undefined {
    const loadBalancer = ingress === undefined ? {} : { ingress };
    const before = JSON.stringify(valueAt(service, 'status', 'loadBalancer') ?? {});
    if (before === JSON.stringify(loadBalancer)) return service;
    const status = { ...objectAt(service, 'status'), loadBalancer };
    return this.save(key, { ...service, status }, 'status');
  }

  private save(
    key: string,
    service: StoredObject,
    subresource?: 'status',
  ): StoredObject | undefined {
    const options = { asVerb: 'patch' as const, ...(subresource && { subresource }) };
    const answer = this.context.client.update('services', service, options);
    if (answer.ok) return answer.object;
    this.retry(key);
    return undefined;
  }

  private retry(key: string): void {
    this.context.timers.schedule(RETRY_MS, () => {
      this.enqueue(key, 'sync');
    });
  }
}

/** The cloud's name for a Service's load balancer. */
function balancerOf(service: StoredObject): string {
  return loadBalancerName(service.metadata.uid);
}

function isBalanced(service: StoredObject): boolean {
  const hasOtherClass = textAt(service, 'spec', 'loadBalancerClass') !== '';
  return valueAt(service, 'spec', 'type') === 'LoadBalancer' && !hasOtherClass;
}

function wantsBalancer(service: StoredObject): boolean {
  return isBalanced(service) && service.metadata.deletionTimestamp === undefined;
}

function concerns(service: StoredObject): boolean {
  return isBalanced(service) || (service.metadata.finalizers ?? []).includes(CLEANUP_FINALIZER);
}

/** Upstream's `needsUpdate`: a change of status alone needs no sync. */
function needsSync(before: StoredObject, after: StoredObject): boolean {
  return watchedParts(before) !== watchedParts(after);
}

function watchedParts(service: StoredObject): string {
  const { annotations, deletionTimestamp } = service.metadata;
  return JSON.stringify([service['spec'], annotations, deletionTimestamp]);
}
