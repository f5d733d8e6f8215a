import type {
  AccessQuestion,
  ObjectStore,
  ResourceRef,
  SimulatedCluster,
  StoredObject,
} from '../model.js';
import { forbidden } from '../rbac/judged-client.js';
import { refusalAnswer } from '../../base/http/answers.js';
import type { StatusDetails } from '../../base/http/refusal.js';
import type { ChangeHistory } from './history.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';
import type { ResourceRoute } from './route.js';

/** What the routes of one cluster's API server depend on. */
export interface ApiContext {
  readonly cluster: SimulatedCluster;
  readonly store: ObjectStore;
  readonly history: ChangeHistory;
  /** Interval between bookmarks on an idle watch, in milliseconds of real time. */
  readonly bookmarkMs: number;
  /** Set by a `staleRead` fault: reads return the state before the last change to the requested objects. */
  readonly stale: boolean;
}

/** A request to a resource, already authorized. */
export interface ResourceRequest extends ClusterRequest {
  readonly route: ResourceRoute;
}

export function detailsOf(route: ResourceRoute, name = route.name): StatusDetails {
  return aboutResource({ ...route.entry, ...(name === undefined ? {} : { name }) });
}

function aboutResource({
  name,
  group,
  resource: kind,
}: Pick<AccessQuestion, 'name' | 'group' | 'resource'>): StatusDetails {
  return { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind };
}

/** The object that a route with a name addresses. */
export function refOfRequest({ entry, namespace, name = '' }: ResourceRoute): ResourceRef {
  return { resource: entry.resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The 403 for a request that RBAC denies; null when RBAC allows it. */
export function refusedAccess(
  store: ObjectStore,
  request: ClusterRequest,
  what: Omit<AccessQuestion, 'user' | 'groups'>,
): JsonAnswer | null {
  const question: AccessQuestion = { ...request.requester, ...what };
  if (store.authorize(question).allowed) return null;
  return refusalAnswer(forbidden(question), aboutResource(what));
}

export function inNamespace(route: ResourceRoute): (object: StoredObject) => boolean {
  const { namespace } = route;
  return namespace === undefined ? () => true : (one) => one.metadata.namespace === namespace;
}
