import { USERS } from './pki.js';

/**
 * Which requests the API server writes to its audit log, and in how much detail. First match wins. Every write of the
 * resources that a migration touches is logged with its body, so that the API server itself documents who held and
 * released a lock.
 */
export const AUDIT_POLICY = JSON.stringify(
  {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [
      {
        level: 'Request',
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
        namespaces: ['kube-system'],
        resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      },
      {
        // Node heartbeats: only that they were written, and by whom.
        level: 'Metadata',
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
        resources: [{ group: 'coordination.k8s.io', resources: ['leases'] }],
      },
      {
        level: 'Request',
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
        resources: [
          {
            group: 'rbac.authorization.k8s.io',
            resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'],
          },
          { group: '', resources: ['services', 'services/status', 'nodes'] },
        ],
      },
      {
        level: 'Metadata',
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection'],
        resources: [
          { group: '', resources: ['nodes/status', 'pods', 'pods/eviction', 'configmaps'] },
          { group: 'apps' },
        ],
      },
      // Requests of an operator's tools, reads included: they are the cost of a migration.
      { level: 'Metadata', users: [USERS.admin.user, USERS.worker.user] },
      { level: 'None' },
    ],
  },
  null,
  2,
);
