import type { ObjectEvent, ObjectReading } from '../../domain/gates/objects/object-reading.js';
import { measured, type Measurement, unmeasured } from '../../domain/gates/samples/measurement.js';
import { failure, failureTypeOf, plainMessage } from '../failures.js';
import { onAbort } from '../on-abort.js';
import type { CallOptions, KubernetesApi, ListOptions, Page } from '../ports.js';
import {
  type BalancedService,
  type EventObject,
  eventsIn,
  isBalanced,
  nodeFacts,
  serviceFacts,
  type TaintedNode,
} from './object-facts.js';

export interface ObjectRequest extends CallOptions {
  readonly signal: AbortSignal;
  /** For all lists together. */
  readonly timeoutMs: number;
  /**
   * Whether to read also how calls for Services and Nodes ended well: `always` for the book of a run and until the new owner
   * is known to see the cloud, otherwise only when something fails. After a handover each Service has two such Events.
   */
  readonly successes: 'always' | 'whereFailing';
}

/** Most objects of a list: more would cost an API server and a worker too much to read again and again. */
const MOST = { failures: 5000, successes: 20_000, services: 20_000, nodes: 10_000 } as const;
/** An Event takes about 1 KB, a Service up to 5 KB. */
const EVENTS_A_PAGE = 500;
const SERVICES_A_PAGE = 250;

/**
 * Services and Nodes of a cluster, and what its cloud controllers told of them. A list that may not be read, is too long or
 * comes too late makes the whole reading unmeasured: an empty one would look healthy. Needs `list` on `events`, `services`
 * and `nodes` of the whole cluster. An API server keeps no index of Events: it passes over all of them for each list, so
 * there are few lists, and only what they select is sent.
 */
export async function readObjects(
  api: Pick<KubernetesApi, 'list'>,
  { signal, timeoutMs, successes }: ObjectRequest,
): Promise<Measurement<ObjectReading>> {
  signal.throwIfAborted();
  const limit = new AbortController();
  const late = failure('Timeout', `objects were not read within ${String(timeoutMs)} ms`);
  const timer = setTimeout(() => {
    limit.abort(late);
  }, timeoutMs);
  const leave = onAbort(signal, () => {
    limit.abort(signal.reason);
  });
  try {
    return measured(await readLists(api, successes, { signal: limit.signal, timeoutMs }));
  } catch (error) {
    signal.throwIfAborted();
    const type = failureTypeOf(error);
    if (type === null || type === 'Bug') throw error;
    return unmeasured(plainMessage(error));
  } finally {
    clearTimeout(timer);
    leave();
    // What is still being read when one list fails is given up.
    limit.abort(late);
  }
}

async function readLists(
  api: Pick<KubernetesApi, 'list'>,
  successes: ObjectRequest['successes'],
  call: CallOptions,
): Promise<ObjectReading> {
  const failing = { ...call, mostItems: MOST.failures };
  const [services, nodes, ofServices, ofRoutes] = await Promise.all([
    api.list<BalancedService>(
      { apiVersion: 'v1', kind: 'Service' },
      { ...call, limit: SERVICES_A_PAGE, mostItems: MOST.services },
    ),
    api.list<TaintedNode>({ apiVersion: 'v1', kind: 'Node' }, { ...call, mostItems: MOST.nodes }),
    listEvents(api, 'type=Warning,involvedObject.kind=Service', failing),
    listEvents(api, 'reason=FailedToCreateRoute,involvedObject.kind=Node', failing),
  ]);
  const failures = [...eventsIn(ofServices.items, 'uid'), ...eventsIn(ofRoutes.items, 'name')];
  const events =
    successes === 'always' || failures.length > 0
      ? [...failures, ...(await readSuccesses(api, call))]
      : failures;
  return {
    serverTimeMs: services.serverTimeMs,
    services: services.items.filter(isBalanced).map(serviceFacts),
    nodes: nodes.items.map(nodeFacts),
    events,
  };
}

/** Read after the failures: a success of meanwhile ends a failure, and none is missed that came before one. */
async function readSuccesses(
  api: Pick<KubernetesApi, 'list'>,
  call: CallOptions,
): Promise<readonly ObjectEvent[]> {
  const most = { ...call, mostItems: MOST.successes };
  const [ofServices, ofNodes] = await Promise.all([
    listEvents(api, 'type=Normal,involvedObject.kind=Service', most),
    listEvents(api, 'reason=Synced,involvedObject.kind=Node', most),
  ]);
  return [...eventsIn(ofServices.items, 'uid'), ...eventsIn(ofNodes.items, 'name')];
}

function listEvents(
  api: Pick<KubernetesApi, 'list'>,
  fieldSelector: string,
  options: ListOptions,
): Promise<Page<EventObject>> {
  const asked = { ...options, fieldSelector, limit: EVENTS_A_PAGE };
  return api.list<EventObject>({ apiVersion: 'v1', kind: 'Event' }, asked);
}
