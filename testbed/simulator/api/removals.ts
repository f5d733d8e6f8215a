import { listAt, textAt, textsAt, valueAt, type JsonObject } from '../../base/json.js';
import { invalid, unsupportedValue } from '../store/refusals.js';
import { json, refusalAnswer, success } from '../../base/http/answers.js';
import { detailsOf, refOfRequest, type ApiContext, type ResourceRequest } from './context.js';
import type { JsonAnswer } from '../../base/http/request.js';
import { isDryRun } from './route.js';
import { jsonBody, notAnObject } from '../../base/http/json-body.js';

/** DELETE of one object, with preconditions and grace period from body or query. */
export function deleteObject(context: ApiContext, request: ResourceRequest): JsonAnswer {
  const { route, query } = request;
  const body = request.body === '' ? {} : jsonBody(request.body);
  if (body === null) return notAnObject();
  const asked = [...query.getAll('dryRun'), ...textsAt(body, 'dryRun')];
  const refused = refusedOptions(asked);
  if (refused !== null) return refused;
  const dryRun = isDryRun(query) || listAt(body, 'dryRun').includes('All');
  const answer = context.store.delete(refOfRequest(route), {
    ...preconditions(body),
    ...grace(body, query),
    dryRun,
  });
  if (!answer.ok) return refusalAnswer(answer, detailsOf(route));
  const waits = answer.object.metadata.deletionTimestamp !== undefined;
  if (waits || route.entry.toldWhenDeleted) return json(200, answer.object);
  return success({ ...detailsOf(route), uid: answer.object.metadata.uid });
}

function preconditions(body: JsonObject): { uid?: string; resourceVersion?: string } {
  const uid = textAt(body, 'preconditions', 'uid');
  const resourceVersion = textAt(body, 'preconditions', 'resourceVersion');
  return { ...(uid === '' ? {} : { uid }), ...(resourceVersion === '' ? {} : { resourceVersion }) };
}

function grace(body: JsonObject, query: URLSearchParams): { gracePeriodSeconds?: number } {
  const asked = valueAt(body, 'gracePeriodSeconds') ?? query.get('gracePeriodSeconds');
  const seconds = asked === null ? Number.NaN : Number(asked);
  return Number.isInteger(seconds) && seconds >= 0 ? { gracePeriodSeconds: seconds } : {};
}

/** `All` is the only valid dry run. */
function refusedOptions(dryRun: readonly string[]): JsonAnswer | null {
  if (dryRun.every((one) => one === 'All')) return null;
  const value = `[]string{${dryRun.map((one) => JSON.stringify(one)).join(', ')}}`;
  return refusalAnswer(
    invalid({ kind: 'DeleteOptions', group: 'meta.k8s.io', name: '' }, [
      unsupportedValue('dryRun', value, ['All']),
    ]),
  );
}
