import { isObject, listAt, objectAt, textAt, valueAt, type JsonObject } from '../../base/json.js';
import type { DraftObject } from '../model.js';

const RBAC_GROUP = 'rbac.authorization.k8s.io';

/**
 * Defaults that the API server applies, for the kinds whose written and stored forms clients compare
 * (pkg/apis/rbac/v1/defaults.go, pkg/apis/apps/v1/defaults.go, pkg/apis/core/v1/defaults.go).
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
    case 'Role':
    case 'ClusterRole':
      // Serialized without omitempty, so an empty list of rules reads as null.
      return { ...draft, rules: listAt(draft, 'rules').length === 0 ? null : draft['rules'] };
    case 'ConfigMap':
      return withoutEmpty(draft, 'data');
    case 'Lease':
    case 'Node':
      return withLeanSpec(draft);
    case 'Service':
      return withSpec(draft, { type: 'ClusterIP', sessionAffinity: 'None' });
    case 'Secret':
      return { ...draft, type: draft['type'] ?? 'Opaque' };
    default:
      return draft;
  }
}

/** Omits a member that is empty, as Go's omitempty does. */
function withoutEmpty(draft: DraftObject, member: string): DraftObject {
  const { [member]: value, ...rest } = draft;
  const isEmpty = value === null || (isObject(value) && Object.keys(value).length === 0);
  const { apiVersion, kind, metadata } = draft;
  return isEmpty ? { ...rest, apiVersion, kind, metadata } : draft;
}

/** Ensures a spec, without `unschedulable: false`, which Go omits. */
function withLeanSpec(draft: DraftObject): DraftObject {
  const spec = objectAt(draft, 'spec');
  if (draft['spec'] !== undefined && spec['unschedulable'] !== false) return draft;
  const { unschedulable: _schedulable, ...rest } = spec;
  return { ...draft, spec: rest };
}

/** What admission adds to every new object. */
export function withFirstDefaults(draft: DraftObject): DraftObject {
  const { metadata } = draft;
  if (draft.kind === 'Namespace') {
    const labels = { 'kubernetes.io/metadata.name': metadata.name, ...metadata.labels };
    return withSpec(
      { ...draft, metadata: { ...metadata, labels } },
      { finalizers: ['kubernetes'] },
    );
  }
  return draft.kind === 'Node' ? withSpec(draft, { taints: firstTaints(draft) }, 'over') : draft;
}

/** Admission plugin TaintNodesByCondition: every Node starts with the not-ready taint. */
function firstTaints(draft: DraftObject): readonly unknown[] {
  const key = 'node.kubernetes.io/not-ready';
  const taints = listAt(draft, 'spec', 'taints');
  if (taints.some((taint) => textAt(taint, 'key') === key)) return taints;
  return [...taints, { key, effect: 'NoSchedule' }];
}

function withSpec(
  draft: DraftObject,
  parts: JsonObject,
  how: 'under' | 'over' = 'under',
): DraftObject {
  const spec = objectAt(draft, 'spec');
  return { ...draft, spec: how === 'over' ? { ...spec, ...parts } : { ...parts, ...spec } };
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
  return withSpec(withSpec(draft, defaults), { template: filled }, 'over');
}

function bindingDefaults(draft: DraftObject): DraftObject {
  const subjects = listAt(draft, 'subjects').map((subject) => {
    if (!isObject(subject) || valueAt(subject, 'apiGroup') !== undefined) return subject;
    return subject['kind'] === 'ServiceAccount' ? subject : { ...subject, apiGroup: RBAC_GROUP };
  });
  const whole = { ...draft, subjects: subjects.length === 0 ? null : subjects };
  return {
    ...withoutEmpty(whole, 'subjects'),
    roleRef: { apiGroup: RBAC_GROUP, ...objectAt(draft, 'roleRef') },
  };
}

/** Status of a new object: the one in the request is kept for Nodes only. */
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
