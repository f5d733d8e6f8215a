import type { LoopContext } from './loop-context.js';
import { podCidrOf } from './node-facts.js';

const RECONCILE_MS = 10_000;

/** What a route needs to know of a Node. */
interface Wanted {
  readonly cidr: string;
  readonly uid: string;
}

/** One cloud route a node. Source: CP controllers/route/route_controller.go v0.30.14. */
export function routeLoop(context: LoopContext): void {
  new RouteLoop(context).start();
}

class RouteLoop {
  private readonly context: LoopContext;
  private readonly wanted = new Map<string, Wanted>();
  private changed = true;

  constructor(context: LoopContext) {
    this.context = context;
  }

  start(): void {
    this.context.watch('nodes', ({ object, gone }) => {
      const { name, uid } = object.metadata;
      const cidr = gone ? '' : podCidrOf(object);
      if ((this.wanted.get(name)?.cidr ?? '') === cidr) return;
      if (cidr === '') this.wanted.delete(name);
      else this.wanted.set(name, { cidr, uid });
      this.changed = true;
    });
    this.reconcile();
  }

  /** A pass that takes longer than the period is followed by the next one at once. */
  private readonly reconcile = (): void => {
    const { timers, flags, metrics } = this.context;
    const periodMs = flags.durationMs('route-reconciliation-period', RECONCILE_MS);
    const fromMs = timers.nowMs();
    const again = (): void => {
      timers.schedule(Math.max(0, fromMs + periodMs - timers.nowMs()), this.reconcile);
    };
    metrics.count('route_controller_route_sync_total');
    this.context.call('ListRoutes', '', {
      ended: (error) => {
        if (error === null) this.align(again);
        else again();
      },
    });
  };

  /** All calls are on their way at once; a failed one is left to the next pass. */
  private align(done: () => void): void {
    const { routes } = this.context.cloud;
    const isRight = !this.changed && routes.size === this.wanted.size;
    this.changed = false;
    const stale = isRight
      ? []
      : [...routes].filter(([node, cidr]) => this.wanted.get(node)?.cidr !== cidr);
    const missing = isRight
      ? []
      : [...this.wanted].filter(([node, { cidr }]) => routes.get(node) !== cidr);
    let open = stale.length + missing.length;
    const ended = (error: string | null): void => {
      if (error !== null) this.changed = true;
      open -= 1;
      if (open === 0) done();
    };
    if (open === 0) done();
    for (const [node, cidr] of stale) this.remove(node, cidr, ended);
    for (const [node, wanted] of missing) this.create(node, wanted, ended);
  }

  private remove(node: string, cidr: string, ended: (error: string | null) => void): void {
    const { call, cloud } = this.context;
    const effect = (): void => {
      if (cloud.routes.get(node) === cidr) cloud.routes.delete(node);
    };
    call('DeleteRoute', `${node} ${cidr}`, { effect, ended });
  }

  private create(node: string, { cidr, uid }: Wanted, ended: (error: string | null) => void): void {
    const { call, cloud, timers, tell } = this.context;
    const fromMs = timers.nowMs();
    call('CreateRoute', `${node} ${cidr}`, {
      effect: () => cloud.routes.set(node, cidr),
      ended: (error) => {
        if (error !== null) {
          const tookMs = Math.round(timers.nowMs() - fromMs);
          const message = `Could not create route ${uid} ${cidr} for node ${node} after ${String(tookMs)}ms: ${error}`;
          // Upstream gives the Node's name as its uid.
          const about = { kind: 'Node', metadata: { name: node, uid: node } };
          tell(about, { type: 'Warning', reason: 'FailedToCreateRoute', message });
        }
        ended(error);
      },
    });
  }
}
