import type { Manager } from '../../../domain/vocabulary.js';
import type { SimulatedCluster } from '../model.js';
import { textAt, type JsonObject } from '../../base/json.js';

export type EventOutcome =
  | { readonly kind: 'struck' }
  | { readonly kind: 'missed'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

type NodeEvent = (cluster: SimulatedCluster, node: string) => boolean;
type ProcessEvent = (cluster: SimulatedCluster, node: string, manager: Manager) => boolean;

const ON_PROCESS: ReadonlyMap<string, ProcessEvent> = new Map<string, ProcessEvent>([
  ['crashProcess', (cluster, node, manager) => cluster.crashProcess(node, manager)],
  ['pauseProcess', (cluster, node, manager) => cluster.pauseProcess(node, manager)],
  ['resumeProcess', (cluster, node, manager) => cluster.resumeProcess(node, manager)],
]);

const ON_NODE: ReadonlyMap<string, NodeEvent> = new Map<string, NodeEvent>([
  ['crashNode', (cluster, node) => cluster.crashNode(node)],
  ['partitionNode', (cluster, node) => cluster.partitionNode(node)],
  ['healNode', (cluster, node) => cluster.healNode(node)],
]);

const LOAD_BALANCER = 'deleteServiceLoadBalancer';
const EVENT_KINDS = [...ON_PROCESS.keys(), ...ON_NODE.keys(), LOAD_BALANCER];

/** Injects an event into the cluster from outside: `{kind, node, manager}`, or `{kind, service}`. */
export function raiseEvent(cluster: SimulatedCluster, body: JsonObject): EventOutcome {
  const kind = textAt(body, 'kind');
  const node = textAt(body, 'node');
  const onNode = ON_NODE.get(kind);
  if (onNode !== undefined) return outcome(onNode(cluster, node), `no such node "${node}"`);
  const onProcess = ON_PROCESS.get(kind);
  if (onProcess !== undefined) {
    const manager = body['manager'];
    if (manager !== 'kcm' && manager !== 'ccm') {
      return { kind: 'refused', message: 'manager must be kcm or ccm' };
    }
    return outcome(onProcess(cluster, node, manager), `no ${manager} runs on node "${node}"`);
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
