import type { LoopContext } from './loop-context.js';
import { podCidrOf } from './node-facts.js';

const RECONCILE_MS = 10_000;

/** One cloud route a node. Source: kubernetes/cloud-provider controllers/route/route_controller.go v0.30.0. */
export function routeLoop(context: LoopContext): void {
  const periodMs = context.flags.durationMs('route-reconciliation-period', RECONCILE_MS);
  const wanted = new Map<string, string>();
  let changed = true;
  context.watch('nodes', ({ object, gone }) => {
    const { name } = object.metadata;
    const cidr = gone ? '' : podCidrOf(object);
    if ((wanted.get(name) ?? '') === cidr) return;
    if (cidr === '') wanted.delete(name);
    else wanted.set(name, cidr);
    changed = true;
  });
  const reconcile = (): void => {
    context.call('ListRoutes', '');
    context.count('routeSync');
    if (changed || context.cloud.routes.size !== wanted.size) align(context, wanted);
    changed = false;
    context.timers.schedule(periodMs, reconcile);
  };
  reconcile();
}

function align(context: LoopContext, wanted: ReadonlyMap<string, string>): void {
  const { routes } = context.cloud;
  for (const [node, cidr] of routes) {
    if (wanted.get(node) === cidr) continue;
    context.call('DeleteRoute', `${node} ${cidr}`);
    routes.delete(node);
  }
  for (const [node, cidr] of wanted) {
    if (routes.get(node) === cidr) continue;
    context.call('CreateRoute', `${node} ${cidr}`);
    routes.set(node, cidr);
  }
}
