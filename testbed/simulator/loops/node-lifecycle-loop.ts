import type { LoopContext } from './loop-context.js';
import { readyStatus } from './node-facts.js';

const MONITOR_MS = 5000;

/**
 * Queries the cloud for nodes that are not Ready and deletes those whose instance no longer exists.
 * Source: kubernetes/cloud-provider controllers/nodelifecycle/node_lifecycle_controller.go v0.29.15.
 */
export function nodeLifecycleLoop(context: LoopContext): void {
  const suspects = new Set<string>();
  let isWatching = false;
  const monitor = (): void => {
    for (const name of suspects) examine(context, name);
    isWatching = suspects.size > 0;
    if (isWatching) context.timers.schedule(MONITOR_MS, monitor);
  };
  context.watch('nodes', ({ object, gone }) => {
    const { name } = object.metadata;
    if (gone || readyStatus(object) === 'True') {
      suspects.delete(name);
      return;
    }
    suspects.add(name);
    if (isWatching) return;
    isWatching = true;
    context.timers.schedule(context.draws.between(0, MONITOR_MS), monitor);
  });
}

function examine(context: LoopContext, name: string): void {
  context.call('InstanceExists', name);
  if (!context.cloud.instances.has(name)) context.client.delete({ resource: 'nodes', name });
}
