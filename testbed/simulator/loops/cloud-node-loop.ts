import type { StoredObject } from '../model.js';
import type { LoopContext } from './loop-context.js';
import { objectAt } from '../../base/json.js';
import { isUninitialized, providerIdOf, taintsOf, UNINITIALIZED_TAINT } from './node-facts.js';

/** Source: CG util/workqueue/default_rate_limiters.go v0.30.14, without its bucket of 10 a second. */
const BACK_OFF_MS = { first: 5, longest: 1_000_000 };

/**
 * Initialises tainted nodes: providerID, labels, taint removal. In CCMs only, and never gated by Leader Migration. Its
 * queue gets every change of a Node and has one worker.
 * Source: CP controllers/node/node_controller.go v0.30.14.
 */
export function cloudNodeLoop(context: LoopContext): void {
  const queue = context.queue('Nodes', {
    backOffMs: BACK_OFF_MS,
    treat: (name, done) => {
      initialize(context, name, done);
    },
  });
  context.watch('nodes', ({ object, gone }) => {
    if (!gone) queue.add(object.metadata.name);
  });
}

function initialize(context: LoopContext, name: string, done: (failed: boolean) => void): void {
  const answer = context.client.get({ resource: 'nodes', name });
  if (!answer.ok || !isUninitialized(answer.object)) {
    done(!answer.ok && answer.code !== 404);
    return;
  }
  context.call('InstanceMetadata', name, {
    ended: (error) => {
      done(error !== null || !save(context, name));
    },
  });
}

/** Delays are measured from the Node's creation. */
function save(context: LoopContext, name: string): boolean {
  const { client, metrics, timers } = context;
  const current = client.get({ resource: 'nodes', name });
  if (!current.ok) return current.code === 404;
  if (!context.cloud.instances.has(name)) return false;
  const node = current.object;
  if (!client.update('nodes', initialized(node), { asVerb: 'patch' }).ok) return false;
  const seconds = (timers.nowMs() - Date.parse(node.metadata.creationTimestamp)) / 1000;
  metrics.observe('node_controller_cloud_provider_taint_removal_delay_seconds', seconds);
  metrics.observe('node_controller_initial_node_sync_delay_seconds', seconds);
  const event = { type: 'Normal', reason: 'Synced', message: 'Node synced successfully' } as const;
  context.tell(node, event);
  return true;
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
