import type { StoredObject } from '../model.js';
import type { LoopContext } from './loop-context.js';
import { objectAt } from '../../base/json.js';
import { isUninitialized, providerIdOf, taintsOf, UNINITIALIZED_TAINT } from './node-facts.js';

const RETRY_MS = 5000;

/**
 * Initialises tainted nodes: providerID, labels, taint removal. In CCMs only, and never gated by Leader Migration.
 * Source: kubernetes/cloud-provider controllers/node/node_controller.go v0.30.0.
 */
export function cloudNodeLoop(context: LoopContext): void {
  const initialize = (name: string): void => {
    const answer = context.client.get({ resource: 'nodes', name });
    if (!answer.ok || !isUninitialized(answer.object)) return;
    const tookMs = context.call('InstanceMetadata', name);
    context.timers.schedule(tookMs, () => {
      if (save(context, name)) context.count('nodeInitialized');
      else
        context.timers.schedule(RETRY_MS, () => {
          initialize(name);
        });
    });
  };
  context.watch('nodes', ({ object, previous, gone }) => {
    const isNews = previous === null || !isUninitialized(previous);
    if (!gone && isNews && isUninitialized(object)) initialize(object.metadata.name);
  });
}

function save(context: LoopContext, name: string): boolean {
  const current = context.client.get({ resource: 'nodes', name });
  if (!current.ok) return current.code === 404;
  if (!context.cloud.instances.has(name)) return false;
  return context.client.update('nodes', initialized(current.object), { asVerb: 'patch' }).ok;
}

/** Keeps a providerID that is set: the API server rejects a change. */
function initialized(node: StoredObject): StoredObject {
  const providerID = providerIdOf(node) || `labcloud://${node.metadata.name}`;
  const taints = taintsOf(node).filter((taint) => taint['key'] !== UNINITIALIZED_TAINT);
  const labels = {
    ...node.metadata.labels,
    'node.kubernetes.io/instance-type': 'm1',
    'topology.kubernetes.io/region': 'lab',
    'topology.kubernetes.io/zone': 'lab-1',
  };
  return {
    ...node,
    metadata: { ...node.metadata, labels },
    spec: { ...objectAt(node, 'spec'), providerID, taints },
  };
}
