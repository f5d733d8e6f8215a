import type { ApiRequester } from '../../base/auth/requester.js';
import type { AccessQuestion, ApiRefusal, ObjectClient } from '../model.js';
import { refusal } from '../store/refusals.js';
import { resourceKind } from '../store/resources.js';
import type { Authorize } from './authorizer.js';

/** 403 with the text of apiserver's responsewriters/errors.go. */
export function forbidden(question: AccessQuestion): ApiRefusal {
  const { user, verb, group, namespace, name } = question;
  const what = group === '' ? question.resource : `${question.resource}.${group}`;
  const subresource = question.subresource === undefined ? '' : `/${question.subresource}`;
  const where =
    namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const which = name === undefined ? what : `${what} "${name}"`;
  return refusal(
    403,
    'Forbidden',
    `${which} is forbidden: User "${user}" cannot ${verb} resource ` +
      `"${question.resource}${subresource}" in API group "${group}" ${where}`,
  );
}

type Target = Pick<AccessQuestion, 'namespace' | 'name' | 'subresource'>;

/** A client whose every call RBAC authorizes first, for the actors inside the simulator. */
export function judgedClient(
  client: ObjectClient,
  authorize: Authorize,
  requester: ApiRequester,
): ObjectClient {
  const refused = (verb: string, resource: string, target: Target): ApiRefusal | null => {
    const group = resourceKind(resource)?.group ?? '';
    const question: AccessQuestion = { ...requester, verb, group, resource, ...target };
    return authorize(question).allowed ? null : forbidden(question);
  };
  const named = (ref: { readonly namespace?: string; readonly name: string }): Target => ({
    name: ref.name,
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
  });
  const within = (namespace: string | undefined): Target =>
    namespace === undefined ? {} : { namespace };
  return {
    get: (ref) => refused('get', ref.resource, named(ref)) ?? client.get(ref),
    list: (resource, options) =>
      refused('list', resource, within(options?.namespace)) ?? client.list(resource, options),
    create: (resource, object, options) =>
      refused('create', resource, within(object.metadata.namespace)) ??
      client.create(resource, object, options),
    update: (resource, object, options = {}) => {
      const { asVerb = 'update', subresource } = options;
      const target = { ...named(object.metadata), ...(subresource && { subresource }) };
      return refused(asVerb, resource, target) ?? client.update(resource, object, options);
    },
    delete: (ref, options) =>
      refused('delete', ref.resource, named(ref)) ?? client.delete(ref, options),
  };
}
