import { USERS } from './pki.js';

/**
 * Which requests the API server writes into its audit log, and how much of them. First match wins. Every write of what
 * a migration is about is there with its body, so that who held and released a lock is told by the API server itself.
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
        // Heartbeats of nodes: that they were written, and by whom.
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
      // What an operator's tools ask, reads too: so much a migration costs.
      { level: 'Metadata', users: [USERS.admin.user] },
      { level: 'None' },
    ],
  },
  null,
  2,
);
