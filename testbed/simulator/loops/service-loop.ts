import type { WorkQueue } from '../metrics/work-queue.js';
import { keyOf } from '../store/metadata.js';
import { BalancerSync } from './balancer-sync.js';
import type { LoopContext, SeenObject } from './loop-context.js';
import { NodeSync, SERVICE_BACK_OFF_MS, type CachedService } from './node-sync.js';
import { concerns, needsSync, wantsBalancer } from './service-facts.js';

/**
 * Services with a load balancer: one worker for Services, as by upstream's default, and one for Nodes.
 * Source: CP controllers/service/controller.go v0.30.14.
 */
export function serviceLoop(context: LoopContext): void {
  new ServiceLoop(context).start();
}

class ServiceLoop {
  private readonly context: LoopContext;
  private readonly cache = new Map<string, CachedService>();
  private readonly queue: WorkQueue;
  private readonly balancers: BalancerSync;
  private readonly nodes: NodeSync;

  constructor(context: LoopContext) {
    this.context = context;
    this.queue = context.queue('service', {
      backOffMs: SERVICE_BACK_OFF_MS,
      treat: (key, done) => {
        this.treat(key, done);
      },
    });
    this.nodes = new NodeSync({ context, cache: this.cache, retry: this.queue.add });
    this.balancers = new BalancerSync(context, this.nodes.hosts);
  }

  start(): void {
    this.context.watch('services', (seen) => {
      this.onService(seen);
    });
    this.context.watch('nodes', (seen) => {
      this.nodes.see(seen);
    });
  }

  private onService({ object, previous, gone }: SeenObject): void {
    const key = keyOf(object);
    if (gone) this.cache.delete(key);
    else if (concerns(object) && (previous === null || needsSync(previous, object))) {
      this.queue.add(key);
    }
  }

  private treat(key: string, done: (failed: boolean) => void): void {
    const [namespace = '', name = ''] = key.split('/');
    const answer = this.context.client.get({ resource: 'services', namespace, name });
    if (!answer.ok) {
      if (answer.code === 404) this.cache.delete(key);
      done(answer.code !== 404);
      return;
    }
    const service = answer.object;
    const isWanted = wantsBalancer(service);
    const hosts = isWanted ? this.nodes.hosts.digest() : this.cache.get(key)?.hosts;
    this.cache.set(key, { service, hosts });
    this.balancers.sync(service, (error) => {
      if (error === null && !isWanted) this.cache.delete(key);
      done(error !== null);
    });
  }
}
