import type { ObjectStore } from '../model.js';
import { refusedAccess } from '../api/context.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'update', DELETE: 'delete' };

/**
 * Authorizes the endpoints beside the API by the cluster's own RBAC: `nodes/proxy` for node access (as for a
 * kubelet's API), and of group ccm-migrate.dev `machines` for the machines API and `loadbalancers` for the cloud API.
 */
export function refusedEndpoint(
  store: ObjectStore,
  request: ClusterRequest,
  endpoint: keyof typeof RESOURCES,
): JsonAnswer | null {
  const verb = VERBS[request.method] ?? 'create';
  return refusedAccess(store, request, { verb, ...RESOURCES[endpoint] });
}

const RESOURCES = {
  nodes: { group: '', resource: 'nodes', subresource: 'proxy' },
  machines: { group: 'ccm-migrate.dev', resource: 'machines' },
  cloud: { group: 'ccm-migrate.dev', resource: 'loadbalancers' },
} as const;
