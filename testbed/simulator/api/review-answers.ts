import type { AccessQuestion } from '../model.js';
import { isObject, objectAt, textAt, textsAt, type JsonObject } from '../../base/json.js';
import { invalid, requiredValue } from '../store/refusals.js';
import { json, METHOD_NOT_ALLOWED, NOT_SERVED, refusalAnswer } from '../../base/http/answers.js';
import { refusedAccess, type ApiContext } from './context.js';
import type { JsonAnswer, ClusterRequest } from '../../base/http/request.js';
import { jsonBody, notAnObject } from '../../base/http/json-body.js';

const GROUP = 'authorization.k8s.io';
const KINDS: ReadonlyMap<string, string> = new Map([
  ['subjectaccessreviews', 'SubjectAccessReview'],
  ['selfsubjectaccessreviews', 'SelfSubjectAccessReview'],
  ['localsubjectaccessreviews', 'LocalSubjectAccessReview'],
]);

/** POST to an access review, answered by the same evaluator that authorizes every request. Nothing is stored. */
export function reviewAccess(
  context: ApiContext,
  request: ClusterRequest,
  route: { readonly resource: string; readonly namespace?: string },
): JsonAnswer {
  const kind = KINDS.get(route.resource);
  if (kind === undefined) return NOT_SERVED;
  if (request.method !== 'POST') return METHOD_NOT_ALLOWED;
  const isSelf = kind === 'SelfSubjectAccessReview';
  // Every authenticated user may ask about itself (bootstrap role system:basic-user).
  const asked = { verb: 'create', group: GROUP, ...route };
  const refused = isSelf ? null : refusedAccess(context.store, request, asked);
  if (refused !== null) return refused;
  const body = jsonBody(request.body);
  if (body === null) return notAnObject();
  const spec = objectAt(body, 'spec');
  const requester = isSelf ? request.requester : subjectOf(spec);
  if (requester.user === '' && requester.groups.length === 0) {
    return refusalAnswer(
      invalid({ kind, group: GROUP, name: '' }, [
        requiredValue('spec.user', 'at least one of user or group must be specified'),
      ]),
    );
  }
  const decision = decide(context, { ...requester, ...resourceOf(spec) });
  return json(201, {
    kind,
    apiVersion: `${GROUP}/v1`,
    // A review is never stored, so it has no creation time.
    metadata: { creationTimestamp: null },
    spec: withoutEmptyTexts(spec),
    status: {
      allowed: decision.allowed,
      ...(decision.reason === '' ? {} : { reason: decision.reason }),
    },
  });
}

/** The spec as Go serializes it: empty strings are omitted. */
function withoutEmptyTexts(spec: JsonObject): JsonObject {
  const entries = Object.entries(spec)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, isObject(value) ? withoutEmptyTexts(value) : value] as const);
  return Object.fromEntries(entries);
}

function decide(
  { store }: ApiContext,
  question: AccessQuestion,
): ReturnType<ApiContext['store']['authorize']> {
  // Rules for paths (nonResourceURLs) are not modelled: only a user that may do everything may ask about them.
  if (question.resource !== '') return store.authorize(question);
  return store.authorize({ ...question, group: '*', resource: '*', verb: '*' });
}

function subjectOf(spec: JsonObject): { user: string; groups: readonly string[] } {
  return { user: textAt(spec, 'user'), groups: textsAt(spec, 'groups') };
}

function resourceOf(spec: JsonObject): Omit<AccessQuestion, 'user' | 'groups'> {
  const attributes = objectAt(spec, 'resourceAttributes');
  const optional = (field: 'namespace' | 'name' | 'subresource'): Partial<AccessQuestion> => {
    const value = textAt(attributes, field);
    return value === '' ? {} : { [field]: value };
  };
  return {
    verb: textAt(attributes, 'verb'),
    group: textAt(attributes, 'group'),
    resource: textAt(attributes, 'resource'),
    ...optional('namespace'),
    ...optional('name'),
    ...optional('subresource'),
  };
}
