import type { ObjectStore, StoredObject } from '../model.js';
import { isObject, listAt, textAt, valueAt } from '../../base/json.js';
import { notFound } from '../store/refusals.js';
import { labelSelection } from '../store/selectors.js';
import { jsonBody, notAnObject } from '../../base/http/json-body.js';
import { writeAnswer } from './writes.js';
import { badRequestAnswer, refusalAnswer, statusAnswer } from '../../base/http/answers.js';
import { detailsOf, refOfRequest, type ApiContext, type ResourceRequest } from './context.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { isDryRun } from './route.js';

/**
 * POST pods/NAME/eviction: deletes the pod unless a disruption budget forbids it
 * (registry/core/pod/storage/eviction.go). Answers 429 when a budget forbids it and 500 when two budgets match the
 * pod.
 */
export function evictPod(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  if (namesAnother(body, route.name)) return ANOTHER_NAME;
  const { store } = context;
  const ref = refOfRequest(route);
  const pod = store.get(ref);
  if (!pod.ok) return refusalAnswer(notFound('pods', ref.name), detailsOf(route));
  const refused = isEnded(pod.object) ? null : refusedByBudget(store, pod.object);
  if (refused !== null) return refused;
  const seconds = valueAt(body, 'deleteOptions', 'gracePeriodSeconds');
  const answer = store.delete(ref, {
    ...(typeof seconds === 'number' ? { gracePeriodSeconds: seconds } : {}),
    dryRun: isDryRun(query),
  });
  if (!answer.ok) return writeAnswer(answer, 201, route);
  return statusAnswer(201, '', '');
}

const ANOTHER_NAME = badRequestAnswer('name in URL does not match name in Eviction object');

function namesAnother(eviction: unknown, name: string | undefined): boolean {
  const said = textAt(eviction, 'metadata', 'name');
  return said !== '' && said !== name;
}

function isEnded(pod: StoredObject): boolean {
  return ['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
}

function refusedByBudget(store: ObjectStore, pod: StoredObject): JsonAnswer | null {
  const budgets = budgetsOf(store, pod);
  if (budgets.length > 1) {
    return statusAnswer(
      500,
      '',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = budgets;
  if (budget === undefined) return null;
  const { healthy, needed } = healthOf(store, budget);
  if (healthy > needed) return null;
  return statusAnswer(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget.metadata.name} needs ${needed} healthy pods and has ${healthy} currently`,
        },
      ],
    },
  );
}

function budgetsOf(store: ObjectStore, pod: StoredObject): readonly StoredObject[] {
  const all = store.list('poddisruptionbudgets', namespaceOf(pod));
  return all.ok ? all.object.filter((budget) => selects(budget, pod)) : [];
}

function namespaceOf(object: StoredObject): { namespace: string } {
  return { namespace: object.metadata.namespace ?? '' };
}

function selects(budget: StoredObject, pod: StoredObject): boolean {
  const selector = valueAt(budget, 'spec', 'selector');
  if (!isObject(selector)) return false;
  const labels = Object.entries(isObject(selector['matchLabels']) ? selector['matchLabels'] : {});
  const terms = labels.map(([key, value]) => `${key}=${String(value)}`);
  for (const expression of listAt(selector, 'matchExpressions')) {
    const values = listAt(expression, 'values').join(',');
    const key = textAt(expression, 'key');
    const byOperator: Readonly<Record<string, string>> = {
      In: `${key} in (${values})`,
      NotIn: `${key} notin (${values})`,
      Exists: key,
      DoesNotExist: `!${key}`,
    };
    terms.push(byOperator[textAt(expression, 'operator')] ?? '');
  }
  const selected = labelSelection(terms.join(','));
  return selected.ok && selected.matches(pod);
}

/** Recomputed from the pods, so no disruption controller has to maintain a status. */
function healthOf(
  store: ObjectStore,
  budget: StoredObject,
): { readonly healthy: number; readonly needed: number } {
  const pods = store.list('pods', namespaceOf(budget));
  const covered = pods.ok ? pods.object.filter((pod) => selects(budget, pod)) : [];
  const healthy = covered.filter(isHealthy).length;
  const most = valueAt(budget, 'spec', 'maxUnavailable');
  const needed =
    most === undefined
      ? amount(valueAt(budget, 'spec', 'minAvailable') ?? 1, covered.length)
      : covered.length - amount(most, covered.length);
  return { healthy, needed };
}

function isHealthy(pod: StoredObject): boolean {
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  return listAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

/** A count, or a percentage of all pods rounded up. */
function amount(value: unknown, all: number): number {
  if (typeof value === 'string' && value.endsWith('%')) {
    return Math.ceil((Number(value.slice(0, -1)) / 100) * all);
  }
  return Number(value);
}
