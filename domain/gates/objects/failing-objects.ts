import type {
  CloudReason,
  CloudNodeFacts,
  ObjectEvent,
  ObjectReading,
  ServiceFacts,
} from './object-reading.js';
import { toldEvents, type ToldEvents } from './told-events.js';

/**
 * Twice the longest back-off of the service controller's queue (5 s doubling to 300 s). client-go also limits what a process
 * tells of one object to 25 Events and then one in 300 s, which the route controller reaches with its pass each 10 s.
 * Source: k8s.io/cloud-provider controllers/service/controller.go v0.30.14 `maxRetryDelay`; k8s.io/client-go
 * tools/record/events_cache.go v0.30.14 `defaultSpamQPS`.
 */
export const FAILS_FOR_MS = 600_000;

/** Twice the objective of KEP-2395 for a new Node, which is a minute. */
export const INITIALISED_WITHIN_MS = 120_000;

/** A load balancer is made within minutes, and a Service without one has no Event that says why. */
export const ADDRESS_WITHIN_MS = 600_000;

/**
 * How far the clock of a controller may be ahead of the API server's. A success from further in the future proves nothing: it
 * would hide failures until then.
 */
const CLOCKS_DIFFER_MS = 60_000;
const SUCCESSES: readonly CloudReason[] = ['EnsuredLoadBalancer', 'UpdatedLoadBalancer'];

/** An object that fails, with the Event that says so. */
export interface FailingObject {
  /** As people name it. */
  readonly name: string;
  /** As a book of objects keeps it. */
  readonly key: string;
  readonly event: ObjectEvent;
}

/** Which objects the cloud controllers fail on at the moment of a reading. */
export interface FailingObjects {
  readonly services: readonly FailingObject[];
  readonly routes: readonly FailingObject[];
}

export function failingObjects(reading: ObjectReading): FailingObjects {
  const { serverTimeMs, services, nodes } = reading;
  const told = credible(reading);
  const since = serverTimeMs - FAILS_FOR_MS;
  return {
    services: services.flatMap((service) => {
      const event = openFailure(service, told);
      // An attempt is told even where its end is not: the failure is then told only every few attempts.
      const triedAtMs = told.lastAtMs(service.uid, 'EnsuringLoadBalancer');
      return event === undefined || Math.max(freshAtMs(event), triedAtMs) < since
        ? []
        : [{ name: service.name, key: service.uid, event }];
    }),
    routes: nodes.flatMap((node) => {
      const event = openRouteFailure(node, told);
      return event === undefined || freshAtMs(event) < since
        ? []
        : [{ name: node.name, key: node.name, event }];
    }),
  };
}

/**
 * Keys of objects that fail, or may. A Service that has failed for hours has used up its Events, and a new owner tells of it
 * again: so one counts too whose last attempt has no end, or that has no address.
 */
export function doubtfulObjects(reading: ObjectReading): {
  readonly services: readonly string[];
  readonly routes: readonly string[];
} {
  const { services, nodes } = reading;
  const told = credible(reading);
  return {
    services: services
      .filter(
        (service) =>
          !service.hasAddress ||
          openFailure(service, told) !== undefined ||
          told.lastAtMs(service.uid, 'EnsuringLoadBalancer') >
            told.lastAtMs(service.uid, 'EnsuredLoadBalancer'),
      )
      .map(({ uid }) => uid),
    routes: nodes
      .filter((node) => openRouteFailure(node, told) !== undefined)
      .map(({ name }) => name),
  };
}

/** Services that have waited for an address for too long while no Event says why. */
export function waitingServices({
  serverTimeMs,
  services,
}: ObjectReading): readonly ServiceFacts[] {
  return services.filter(
    ({ hasAddress, leaving, createdAtMs }) =>
      !hasAddress && !leaving && serverTimeMs - createdAtMs > ADDRESS_WITHIN_MS,
  );
}

function credible({ events, serverTimeMs }: ObjectReading): ToldEvents {
  const latestMs = serverTimeMs + CLOCKS_DIFFER_MS;
  return toldEvents(
    events.filter(({ reason, lastAtMs }) => lastAtMs <= latestMs || !SUCCESSES.includes(reason)),
  );
}

/** A controller's clock may be behind; the API server knows when an Event was new. */
function freshAtMs({ madeAtMs, lastAtMs }: ObjectEvent): number {
  return Math.max(madeAtMs, lastAtMs);
}

/**
 * The last failure that no success has ended. Times are whole seconds, and a retry comes 5 s after a failure at the earliest,
 * so of two Events of one second the failure counts. Giving a load balancer other Nodes does not cure a failed Ensure.
 */
function openFailure({ uid }: ServiceFacts, told: ToldEvents): ObjectEvent | undefined {
  const ensuredAtMs = told.lastAtMs(uid, 'EnsuredLoadBalancer');
  const sync = told.last(uid, 'SyncLoadBalancerFailed');
  if (sync !== undefined && sync.lastAtMs >= ensuredAtMs) return sync;
  const update = told.last(uid, 'UpdateLoadBalancerFailed');
  const updatedAtMs = Math.max(ensuredAtMs, told.lastAtMs(uid, 'UpdatedLoadBalancer'));
  return update !== undefined && update.lastAtMs >= updatedAtMs ? update : undefined;
}

/** No Event tells that a route was made; the route controller's condition on the Node changes with it. */
function openRouteFailure(
  { name, routedSinceMs }: CloudNodeFacts,
  told: ToldEvents,
): ObjectEvent | undefined {
  const failed = told.last(name, 'FailedToCreateRoute');
  if (failed === undefined || routedSinceMs === null) return failed;
  return failed.lastAtMs >= routedSinceMs ? failed : undefined;
}
