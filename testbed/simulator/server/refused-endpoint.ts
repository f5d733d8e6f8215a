import type { ObjectStore } from '../model.js';
import { refusedAccess } from '../api/context.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';

const VERBS: Readonly<Record<string, string>> = { GET: 'get', PUT: 'update', DELETE: 'delete' };

/**
 * Authorizes the endpoints beside the API by the cluster's own RBAC: `nodes/proxy` for node access (as for a
 * kubelet's API), and `machines` of group ccm-migrate.dev for the machines API.
 */
export function refusedEndpoint(
  store: ObjectStore,
  request: ClusterRequest,
  endpoint: 'nodes' | 'machines',
): JsonAnswer | null {
  const verb = VERBS[request.method] ?? 'create';
  return refusedAccess(
    store,
    request,
    endpoint === 'nodes'
      ? { verb, group: '', resource: 'nodes', subresource: 'proxy' }
      : { verb, group: 'ccm-migrate.dev', resource: 'machines' },
  );
}
