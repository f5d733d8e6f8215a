import { objectAt, valueAt } from '../../base/json.js';
import type { ApiAnswer, StoredObject } from '../model.js';
import type { HostSet } from './host-set.js';
import type { LoopContext, ToldEvent } from './loop-context.js';
import {
  balancerOf,
  CLEANUP_FINALIZER,
  hasCleanupFinalizer,
  wantsBalancer,
} from './service-facts.js';

/** The error of a sync, null for none. */
type Done = (error: string | null) => void;

/**
 * Creates, changes or deletes the load balancer of one Service, with the Events of upstream's syncLoadBalancerIfNeeded;
 * no metric counts it. Source: CP controllers/service/controller.go v0.30.14.
 */
export class BalancerSync {
  private readonly context: LoopContext;
  private readonly hosts: Pick<HostSet, 'list'>;

  constructor(context: LoopContext, hosts: Pick<HostSet, 'list'>) {
    this.context = context;
    this.hosts = hosts;
  }

  sync(service: StoredObject, done: Done): void {
    const end: Done = (error) => {
      if (error !== null) {
        const message = `Error syncing load balancer: ${error}`;
        this.tell(service, { type: 'Warning', reason: 'SyncLoadBalancerFailed', message });
      }
      done(error);
    };
    if (wantsBalancer(service)) this.ensure(service, end);
    else if (hasCleanupFinalizer(service)) this.remove(service, end);
    else end(null);
  }

  private ensure(service: StoredObject, done: Done): void {
    const { context } = this;
    this.tell(service, normal('EnsuringLoadBalancer', 'Ensuring load balancer'));
    const finalizers = service.metadata.finalizers ?? [];
    const guarded = hasCleanupFinalizer(service)
      ? null
      : this.save(service, { finalizers: [...finalizers, CLEANUP_FINALIZER] });
    if (guarded?.ok === false) {
      done(`failed to add load balancer cleanup finalizer: ${guarded.message}`);
      return;
    }
    const name = balancerOf(service);
    let ip = '';
    context.call('EnsureLoadBalancer', name, {
      effect: () => {
        ip = context.cloud.ensureLoadBalancer(name);
        context.cloud.setBackends(name, this.hosts.list());
      },
      ended: (error) => {
        if (error !== null) {
          done(`failed to ensure load balancer: ${error}`);
          return;
        }
        this.tell(service, normal('EnsuredLoadBalancer', 'Ensured load balancer'));
        done(this.publish(service, { ingress: [{ ip }] }));
      },
    });
  }

  private remove(service: StoredObject, done: Done): void {
    const name = balancerOf(service);
    this.context.call('GetLoadBalancer', name, {
      ended: (error) => {
        if (error !== null) {
          done(`failed to check if load balancer exists before cleanup: ${error}`);
        } else if (this.context.cloud.loadBalancers.has(name)) {
          this.deleteAtCloud(service, done);
        } else {
          done(this.release(service));
        }
      },
    });
  }

  private deleteAtCloud(service: StoredObject, done: Done): void {
    const name = balancerOf(service);
    this.tell(service, normal('DeletingLoadBalancer', 'Deleting load balancer'));
    this.context.call('EnsureLoadBalancerDeleted', name, {
      effect: () => {
        this.context.cloud.loadBalancers.delete(name);
      },
      ended: (error) => {
        done(error === null ? this.release(service) : `failed to delete load balancer: ${error}`);
      },
    });
  }

  /** Removes the finalizer, which deletes a Service that is going, and clears the status of one that stays. */
  private release(service: StoredObject): string | null {
    const left = (service.metadata.finalizers ?? []).filter((each) => each !== CLEANUP_FINALIZER);
    const answer = this.save(service, { finalizers: left });
    if (!answer.ok && answer.code !== 404) {
      return `failed to remove load balancer cleanup finalizer: ${answer.message}`;
    }
    this.tell(service, normal('DeletedLoadBalancer', 'Deleted load balancer'));
    return this.publish(service, {});
  }

  private publish(service: StoredObject, loadBalancer: object): string | null {
    const current = this.read(service);
    if (!current.ok) {
      return current.code === 404
        ? null
        : `failed to update load balancer status: ${current.message}`;
    }
    const before = valueAt(current.object, 'status', 'loadBalancer') ?? {};
    if (JSON.stringify(before) === JSON.stringify(loadBalancer)) return null;
    const status = { ...objectAt(current.object, 'status'), loadBalancer };
    const options = { asVerb: 'patch', subresource: 'status' } as const;
    const written = this.context.client.update('services', { ...current.object, status }, options);
    return written.ok || written.code === 404
      ? null
      : `failed to update load balancer status: ${written.message}`;
  }

  /** Changes the finalizers of the Service as it is now, as a patch does. */
  private save(
    service: StoredObject,
    { finalizers }: { readonly finalizers: readonly string[] },
  ): ApiAnswer {
    const current = this.read(service);
    if (!current.ok) return current;
    const metadata = { ...current.object.metadata, finalizers };
    const next = { ...current.object, metadata };
    return this.context.client.update('services', next, { asVerb: 'patch' });
  }

  private read({ metadata: { name, namespace, uid } }: StoredObject): ApiAnswer {
    const ref = { resource: 'services', name, ...(namespace !== undefined && { namespace }) };
    const answer = this.context.client.get(ref);
    if (!answer.ok || answer.object.metadata.uid === uid) return answer;
    return { ok: false, code: 404, reason: 'NotFound', message: `services "${name}" not found` };
  }

  private tell(service: StoredObject, event: ToldEvent): void {
    this.context.tell(service, event);
  }
}

function normal(reason: string, message: string): ToldEvent {
  return { type: 'Normal', reason, message };
}
