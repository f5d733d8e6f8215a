import type { StoredObject } from '../model.js';
import { NODE_SYNC, type NodeSyncRule } from '../versions/behaviour.js';
import { valueFor } from '../versions/by-minor.js';
import { HostSet } from './host-set.js';
import type { LoopContext, SeenObject } from './loop-context.js';
import { balancerOf, wantsBalancer } from './service-facts.js';

const SIGNAL_MS = 100_000;
export const SERVICE_BACK_OFF_MS = { first: 5000, longest: 300_000 };

/** What the service controller remembers of a Service from its first sync on. */
export interface CachedService {
  service: StoredObject;
  /** Digest of the Nodes that its load balancer was last given; undefined before. */
  hosts: string | undefined;
}

export interface NodeSyncOptions {
  readonly context: LoopContext;
  readonly cache: ReadonlyMap<string, CachedService>;
  /** Takes a Service whose update failed, by its key. */
  readonly retry: (key: string) => void;
}

/**
 * Gives every load balancer the Nodes of the cluster when they change: the only work that the service controller counts.
 * Latencies are observed whenever a call ends, also for failed calls; one that hangs is counted nowhere but as begun.
 * Source: CP controllers/service/controller.go, versions in `NODE_SYNC`.
 */
export class NodeSync {
  readonly hosts: HostSet;
  private readonly options: NodeSyncOptions;
  private readonly rule: NodeSyncRule;
  private readonly onChange: (node: string) => void;
  /** The Nodes of the last pass, for versions that remember them for all Services at once. */
  private passed = '';
  /** Services whose update failed, for versions without a queue. */
  private failed = new Set<string>();

  constructor(options: NodeSyncOptions) {
    this.options = options;
    this.rule = valueFor(NODE_SYNC, options.context.minor);
    this.hosts = new HostSet(this.rule);
    this.onChange = this.rule.by === 'queue' ? this.byQueue() : this.bySignal();
  }

  see(seen: SeenObject): void {
    if (this.hosts.see(seen)) this.onChange(seen.object.metadata.name);
  }

  private byQueue(): (node: string) => void {
    const { context, retry } = this.options;
    return context.queue('node', {
      backOffMs: SERVICE_BACK_OFF_MS,
      treat: (_, done) => {
        this.pass(
          (key, cached) => this.differs(key, cached),
          (failed) => {
            for (const key of failed) retry(key);
            done(false);
          },
        );
      },
    }).add;
  }

  /** One signal waits at most, besides the one that is treated. */
  private bySignal(): () => void {
    const { timers } = this.options.context;
    let state: 'idle' | 'busy' | 'pending' = 'idle';
    const work = (): void => {
      state = 'busy';
      this.passOnSignal(() => {
        if (isPending(state)) work();
        else state = 'idle';
      });
    };
    const signal = (): void => {
      if (state !== 'idle') {
        state = 'pending';
        return;
      }
      state = 'pending';
      timers.schedule(0, work);
    };
    const tick = (): void => {
      timers.schedule(SIGNAL_MS, tick);
      signal();
    };
    timers.schedule(SIGNAL_MS, tick);
    return signal;
  }

  private passOnSignal(done: () => void): void {
    const isFull = this.passed !== this.hosts.digest();
    this.passed = this.hosts.digest();
    const before = this.failed;
    this.pass(
      (key) => isFull || before.has(key),
      (failed) => {
        this.failed = failed;
        done();
      },
    );
  }

  /** Whether a load balancer lacks the present Nodes; it is then taken to have them, whatever becomes of the call. */
  private differs(_: string, cached: CachedService): boolean {
    const digest = this.hosts.digest();
    if (this.rule.remembers === 'controller') return this.passed !== digest;
    const isOther = cached.hosts !== digest;
    cached.hosts = digest;
    return isOther;
  }

  private pass(
    needs: (key: string, cached: CachedService) => boolean,
    done: (failed: Set<string>) => void,
  ): void {
    const { context, cache } = this.options;
    const fromMs = context.timers.nowMs();
    const failed = new Set<string>();
    const keys = this.canSkip() ? [] : [...cache.keys()];
    const digest = this.hosts.digest();
    const next = (from: number): void => {
      for (let index = from; index < keys.length; index += 1) {
        const key = keys[index] ?? '';
        const cached = cache.get(key);
        if (cached === undefined || !wantsBalancer(cached.service) || !needs(key, cached)) continue;
        this.update(cached.service, (error) => {
          if (error !== null) failed.add(key);
          next(index + 1);
        });
        return;
      }
      if (this.rule.by === 'queue') this.passed = digest;
      const seconds = (context.timers.nowMs() - fromMs) / 1000;
      context.metrics.observe('service_controller_nodesync_latency_seconds', seconds);
      done(failed);
    };
    next(0);
  }

  /** Every Service has had the present Nodes since the last pass: a thousand Nodes then cost a thousand steps. */
  private canSkip(): boolean {
    return this.rule.by === 'queue' && this.passed === this.hosts.digest();
  }

  /** Upstream's lockedUpdateLoadBalancerHosts. */
  private update(service: StoredObject, done: (error: string | null) => void): void {
    const { context } = this.options;
    const { metrics, timers } = context;
    const fromMs = timers.nowMs();
    metrics.count('service_controller_loadbalancer_sync_total');
    const end = (error: string | null): void => {
      const seconds = (timers.nowMs() - fromMs) / 1000;
      metrics.observe('service_controller_update_loadbalancer_host_latency_seconds', seconds);
      if (error !== null) metrics.count('service_controller_nodesync_error_total');
      done(error);
    };
    context.call('UpdateLoadBalancer', balancerOf(service), {
      effect: () => {
        context.cloud.setBackends(balancerOf(service), this.hosts.list());
      },
      ended: (error) => {
        if (error === null) {
          this.tellUpdated(service);
          end(null);
        } else this.examine(service, error, end);
      },
    });
  }

  /** A failed update is an error only while the load balancer exists. */
  private examine(service: StoredObject, error: string, end: (error: string | null) => void): void {
    const { context } = this.options;
    const name = balancerOf(service);
    context.call('GetLoadBalancer', name, {
      ended: (unknown) => {
        if (unknown === null && !context.cloud.loadBalancers.has(name)) {
          end(null);
          return;
        }
        const nodes = `new hosts ${this.hosts.names()} [node names limited, total number of nodes: ${String(this.hosts.size)}]`;
        const message = `Error updating load balancer with ${nodes}, error: ${error}`;
        context.tell(service, { type: 'Warning', reason: 'UpdateLoadBalancerFailed', message });
        end(error);
      },
    });
  }

  private tellUpdated(service: StoredObject): void {
    const { tell } = this.options.context;
    if (this.hosts.size > 0) {
      const message = 'Updated load balancer with new hosts';
      tell(service, { type: 'Normal', reason: 'UpdatedLoadBalancer', message });
      return;
    }
    const message = 'There are no available nodes for LoadBalancer';
    tell(service, { type: 'Warning', reason: 'UnAvailableLoadBalancer', message });
  }
}

/** Hides from the compiler that only a callback changes the state. */
function isPending(state: string): boolean {
  return state === 'pending';
}
