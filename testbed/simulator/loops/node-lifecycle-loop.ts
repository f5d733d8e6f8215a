import type { LoopContext } from './loop-context.js';
import { readyStatus } from './node-facts.js';

const MONITOR_MS = 5000;

/**
 * Queries the cloud for nodes that are not Ready, one after the other, and deletes those whose instance no longer
 * exists; an error of the cloud leaves a node as it is. It has neither queue nor metric.
 * Source: CP controllers/nodelifecycle/node_lifecycle_controller.go v0.29.15.
 */
export function nodeLifecycleLoop(context: LoopContext): void {
  const suspects = new Set<string>();
  let isWatching = false;
  const monitor = (): void => {
    examineAll(context, [...suspects], () => {
      isWatching = suspects.size > 0;
      if (isWatching) context.timers.schedule(MONITOR_MS, monitor);
    });
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

function examineAll(context: LoopContext, names: readonly string[], done: () => void): void {
  const [name, ...rest] = names;
  if (name === undefined) {
    done();
    return;
  }
  context.call('InstanceExists', name, {
    ended: (error) => {
      const isGone = error === null && !context.cloud.instances.has(name);
      if (isGone) context.client.delete({ resource: 'nodes', name });
      examineAll(context, rest, done);
    },
  });
}
