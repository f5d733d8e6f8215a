import type {
  CloudReason,
  CloudNodeFacts,
  ObjectEvent,
  ServiceFacts,
} from '../../domain/gates/objects/object-reading.js';
import { CLOUD_REASONS } from '../../domain/gates/objects/object-reading.js';
import { failure } from '../failures.js';
import type { ApiObject } from '../ports.js';
import { addressesOf, hasUninitializedTaint, isProbe } from './inventory.js';
import type { NodeObject, ServiceObject } from './objects.js';

/** Fields of Events (core/v1), of which newer recorders fill `series` and `eventTime`. */
export interface EventObject extends ApiObject {
  readonly metadata?: Created;
  readonly involvedObject?: { readonly name?: string; readonly uid?: string };
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly series?: { readonly lastObservedTime?: string | null } | null;
}

type Created = ApiObject['metadata'] & { readonly creationTimestamp?: string };

export interface BalancedService extends ServiceObject {
  readonly metadata?: Created & { readonly finalizers?: readonly string[] };
  readonly spec?: { readonly type?: string; readonly loadBalancerClass?: string };
}

export interface TaintedNode extends NodeObject {
  readonly metadata?: Created;
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

/** Source: k8s.io/cloud-provider service/helpers/helper.go `LoadBalancerCleanupFinalizer`. */
const CLEANUP_FINALIZER = 'service.kubernetes.io/load-balancer-cleanup';
const LONGEST_MESSAGE = 400;

/** Those of the cloud controllers; an Event that names no object is about none. */
export function eventsIn(
  items: readonly EventObject[],
  by: 'uid' | 'name',
): readonly ObjectEvent[] {
  return items.flatMap((event) => {
    const { reason, message = '', involvedObject } = event;
    const about = involvedObject?.[by] ?? '';
    if (!isCloudReason(reason) || about === '') return [];
    const madeAtMs = firstToldAtMs(event);
    const lastAtMs = lastTold(event) ?? madeAtMs;
    return [{ reason, about, madeAtMs, lastAtMs, message: message.slice(0, LONGEST_MESSAGE) }];
  });
}

const SECOND_MS = 1000;

/**
 * When an Event was first told. `creationTimestamp` has whole seconds, and a CCM ensures its Services within a fraction of one
 * after it has acquired its Lease; client-go names an Event `OBJECT.` and the time in nanoseconds, hexadecimal. A time
 * that is not within the API server's second says nothing: that of a clock ahead would pass for a later one. Source: k8s.io/client-go tools/record/event.go v0.30.14 `makeEvent`.
 */
function firstToldAtMs(event: EventObject): number {
  const madeAtMs = createdAtMs(event, 'Event');
  const [, hex = ''] = /\.([0-9a-f]{14,16})$/.exec(event.metadata?.name ?? '') ?? [];
  const toldAtMs = hex === '' ? NaN : Number(BigInt(`0x${hex}`) / 1_000_000n);
  return toldAtMs >= madeAtMs && toldAtMs < madeAtMs + SECOND_MS ? toldAtMs : madeAtMs;
}

function isCloudReason(reason: string | undefined): reason is CloudReason {
  return CLOUD_REASONS.some((each) => each === reason);
}

/** Null where none of the times is one: then the API server's counts. */
function lastTold({ lastTimestamp, eventTime, series }: EventObject): number | null {
  const times = [lastTimestamp, eventTime, series?.lastObservedTime]
    .map((text) => Date.parse(text ?? ''))
    .filter(Number.isFinite);
  return times.length === 0 ? null : Math.max(...times);
}

/**
 * What the service controller works on, without probes: no Service of another class. Source: k8s.io/cloud-provider
 * controllers/service/controller.go v0.30.14 `wantsLoadBalancer`, `needsCleanup`.
 */
export function isBalanced(service: BalancedService): boolean {
  return !isProbe(service.metadata) && (wantsBalancer(service) || isGuarded(service));
}

function wantsBalancer({ spec }: BalancedService): boolean {
  return spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;
}

function isGuarded({ metadata }: BalancedService): boolean {
  return (metadata?.finalizers ?? []).includes(CLEANUP_FINALIZER);
}

export function serviceFacts(service: BalancedService): ServiceFacts {
  const { namespace = '', name = '', uid = '', deletionTimestamp } = service.metadata ?? {};
  return {
    name: `${namespace}/${name}`,
    uid,
    createdAtMs: createdAtMs(service, 'Service'),
    hasAddress: addressesOf(service.status).some((address) => address !== ''),
    leaving: deletionTimestamp !== undefined || !wantsBalancer(service),
  };
}

export function nodeFacts(node: TaintedNode): CloudNodeFacts {
  return {
    name: node.metadata?.name ?? '',
    createdAtMs: createdAtMs(node, 'Node'),
    uninitialized: hasUninitializedTaint(node),
    routedSinceMs: routedSince(node),
  };
}

/** Network plugins set this condition too, with reasons of their own. Source: CP controllers/route v0.30.14. */
function routedSince({ status }: TaintedNode): number | null {
  const condition = status?.conditions?.find(({ type }) => type === 'NetworkUnavailable');
  if (condition?.status !== 'False' || condition.reason !== 'RouteCreated') return null;
  const atMs = Date.parse(condition.lastTransitionTime ?? '');
  return Number.isFinite(atMs) ? atMs : null;
}

/** By the API server's clock, which sets it on each object. */
function createdAtMs({ metadata }: { readonly metadata?: Created }, kind: string): number {
  const atMs = Date.parse(metadata?.creationTimestamp ?? '');
  if (Number.isFinite(atMs)) return atMs;
  throw failure('Unavailable', `${kind} ${metadata?.name ?? ''} has no creationTimestamp`);
}
