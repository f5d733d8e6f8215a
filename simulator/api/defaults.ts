import { isObject, listAt, objectAt, valueAt, type JsonObject } from '../store/json.js';
import type { DraftObject } from '../model.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/**
 * Values that the API server fills in where a writer left them out, for the kinds whose written and stored forms are
 * compared by clients (pkg/apis/rbac/v1/defaults.go, pkg/apis/apps/v1/defaults.go, pkg/apis/core/v1/defaults.go).
 */
export function withDefaults(draft: DraftObject): DraftObject {
  switch (draft.kind) {
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return bindingDefaults(draft);
    case 'DaemonSet':
      return workloadDefaults(draft, {
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
        revisionHistoryLimit: 10,
      });
    case 'Deployment':
      return workloadDefaults(draft, {
        replicas: 1,
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
        },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      });
    case 'Service':
      return withSpec(draft, { type: 'ClusterIP', sessionAffinity: 'None' });
    case 'Secret':
      return { ...draft, type: draft['type'] ?? 'Opaque' };
    default:
      return draft;
  }
}

function withSpec(draft: DraftObject, defaults: JsonObject): DraftObject {
  return { ...draft, spec: { ...defaults, ...objectAt(draft, 'spec') } };
}

function workloadDefaults(draft: DraftObject, defaults: JsonObject): DraftObject {
  const template = objectAt(draft, 'spec', 'template');
  const filled = {
    ...template,
    spec: {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      securityContext: {},
      schedulerName: 'default-scheduler',
      ...objectAt(template, 'spec'),
    },
  };
  const withTemplate = withSpec(draft, defaults);
  return withSpec(
    { ...withTemplate, spec: { ...objectAt(withTemplate, 'spec'), template: filled } },
    {},
  );
}

function bindingDefaults(draft: DraftObject): DraftObject {
  const subjects = listAt(draft, 'subjects').map((subject) => {
    if (!isObject(subject) || valueAt(subject, 'apiGroup') !== undefined) return subject;
    return subject['kind'] === 'ServiceAccount' ? subject : { ...subject, apiGroup: RBAC_GROUP };
  });
  return {
    ...draft,
    ...(subjects.length === 0 ? {} : { subjects }),
    roleRef: { apiGroup: RBAC_GROUP, ...objectAt(draft, 'roleRef') },
  };
}

/** Status of a new object: what a writer says of it counts for Nodes only. */
export function withFirstStatus(draft: DraftObject): DraftObject {
  const first: Readonly<Record<string, JsonObject>> = {
    Pod: { phase: 'Pending', qosClass: 'BestEffort' },
    Service: { loadBalancer: {} },
    Namespace: { phase: 'Active' },
    PersistentVolume: { phase: 'Pending' },
    DaemonSet: {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    },
    Deployment: {},
    PodDisruptionBudget: {
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    },
  };
  const status = first[draft.kind];
  return status === undefined ? draft : { ...draft, status };
}
