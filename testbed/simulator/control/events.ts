import type { SimulatedCluster } from '../model.js';
import { textAt, type JsonObject } from '../../base/json.js';

export type EventOutcome =
  | { readonly kind: 'struck' }
  | { readonly kind: 'missed'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Events that are methods of the cluster. */
const ON_PROCESS = ['crashProcess', 'pauseProcess', 'resumeProcess'] as const;
const ON_NODE = ['crashNode', 'partitionNode', 'healNode'] as const;
const LOAD_BALANCER = 'deleteServiceLoadBalancer';
const EVENT_KINDS = [...ON_PROCESS, ...ON_NODE, LOAD_BALANCER];

/** Injects an event into the cluster from outside: `{kind, node, manager}`, or `{kind, service}`. */
export function raiseEvent(cluster: SimulatedCluster, body: JsonObject): EventOutcome {
  const kind = textAt(body, 'kind');
  const node = textAt(body, 'node');
  const onNode = ON_NODE.find((one) => one === kind);
  if (onNode !== undefined) return outcome(cluster[onNode](node), `no such node "${node}"`);
  const onProcess = ON_PROCESS.find((one) => one === kind);
  if (onProcess !== undefined) {
    const manager = body['manager'];
    if (manager !== 'kcm' && manager !== 'ccm') {
      return { kind: 'refused', message: 'manager must be kcm or ccm' };
    }
    return outcome(cluster[onProcess](node, manager), `no ${manager} runs on node "${node}"`);
  }
  if (kind === LOAD_BALANCER) {
    const service = textAt(body, 'service');
    return outcome(cluster.deleteCloudLoadBalancer(service), `"${service}" has no load balancer`);
  }
  return { kind: 'refused', message: `kind must be one of ${EVENT_KINDS.join(', ')}` };
}

function outcome(struck: boolean, message: string): EventOutcome {
  return struck ? { kind: 'struck' } : { kind: 'missed', message };
}
