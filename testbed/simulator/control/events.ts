import type { SimulatedCluster } from '../model.js';
import type { Manager } from '../../../domain/vocabulary.js';
import { textAt, type JsonObject } from '../../base/json.js';

export type EventOutcome =
  | { readonly kind: 'struck' }
  | { readonly kind: 'missed'; readonly message: string }
  | { readonly kind: 'refused'; readonly message: string };

/** Events that are methods of the cluster. */
const ON_PROCESS = ['crashProcess', 'pauseProcess', 'resumeProcess'] as const;
const ON_NODE = ['crashNode', 'partitionNode', 'healNode'] as const;
/** By the names that they are asked for with. */
const ON_BALANCER = {
  deleteServiceLoadBalancer: 'deleteCloudLoadBalancer',
  emptyServiceLoadBalancer: 'emptyCloudLoadBalancer',
} as const;
const BALANCER_KINDS = ['deleteServiceLoadBalancer', 'emptyServiceLoadBalancer'] as const;
/** The same of the process that owns the cloud controllers at that moment; a paused one still does. */
const ON_OWNER = {
  crashOwner: 'crashProcess',
  pauseOwner: 'pauseProcess',
  resumeOwner: 'resumeProcess',
} as const;
const OWNER_KINDS = ['crashOwner', 'pauseOwner', 'resumeOwner'] as const;
export const EVENT_KINDS = [...ON_PROCESS, ...ON_NODE, ...BALANCER_KINDS, ...OWNER_KINDS] as const;

export type EventKind = (typeof EVENT_KINDS)[number];

/** An event as it is asked for: `{kind, node, manager}`, `{kind, service}` or `{kind}`. */
export interface EventOrder {
  readonly kind: EventKind;
  readonly node?: string;
  readonly manager?: Manager;
  readonly service?: string;
}

export function isProcessEvent(kind: string): kind is (typeof ON_PROCESS)[number] {
  return ON_PROCESS.some((one) => one === kind);
}

export function isNodeEvent(kind: string): kind is (typeof ON_NODE)[number] {
  return ON_NODE.some((one) => one === kind);
}

function isBalancerEvent(kind: string): kind is (typeof BALANCER_KINDS)[number] {
  return BALANCER_KINDS.some((one) => one === kind);
}

/** Reads the body of `POST …/events` and injects the event. */
export function raiseEvent(cluster: SimulatedCluster, body: JsonObject): EventOutcome {
  const kind = EVENT_KINDS.find((one) => one === textAt(body, 'kind'));
  if (kind === undefined) {
    return { kind: 'refused', message: `kind must be one of ${EVENT_KINDS.join(', ')}` };
  }
  const manager = body['manager'];
  return strikeCluster(cluster, {
    ...{ kind, node: textAt(body, 'node'), service: textAt(body, 'service') },
    ...(manager === 'kcm' || manager === 'ccm' ? { manager } : {}),
  });
}

/** Injects an event into the cluster from outside. */
export function strikeCluster(
  cluster: SimulatedCluster,
  { kind, node = '', manager, service = '' }: EventOrder,
): EventOutcome {
  if (isNodeEvent(kind)) return outcome(cluster[kind](node), `no such node "${node}"`);
  if (isProcessEvent(kind)) {
    if (manager === undefined) return { kind: 'refused', message: 'manager must be kcm or ccm' };
    return outcome(cluster[kind](node, manager), `no ${manager} runs on node "${node}"`);
  }
  if (isBalancerEvent(kind)) {
    const struck = cluster[ON_BALANCER[kind]](service);
    return outcome(struck, `"${service}" has no load balancer`);
  }
  return strikeOwner(cluster, ON_OWNER[kind]);
}

/** Owners are told like `kcm:cp-1#812`. */
function strikeOwner(cluster: SimulatedCluster, kind: (typeof ON_PROCESS)[number]): EventOutcome {
  const [owner = ''] = cluster.truth().controllers.service.intervals.at(-1)?.owners ?? [];
  const [, manager, node = ''] = /^(kcm|ccm):(.+)#\d+$/.exec(owner) ?? [];
  const isStruck = (manager === 'kcm' || manager === 'ccm') && cluster[kind](node, manager);
  return outcome(isStruck, 'no process owns the cloud controllers');
}

function outcome(struck: boolean, message: string): EventOutcome {
  return struck ? { kind: 'struck' } : { kind: 'missed', message };
}
