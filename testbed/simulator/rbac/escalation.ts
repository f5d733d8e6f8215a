import type { AccessQuestion, ApiRefusal, DraftObject, ObjectStore } from '../model.js';
import { isObject, listAt, textAt, textsAt, valueAt, type JsonObject } from '../../base/json.js';
import { refusal } from '../store/refusals.js';
import type { ApiRequester } from '../../base/auth/requester.js';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES: Readonly<Record<string, string>> = { Role: 'roles', ClusterRole: 'clusterroles' };

/**
 * A user may only grant permissions that it has, unless it has the verb `escalate` on roles or `bind` on the role of
 * a binding (pkg/registry/rbac/escalation_check.go). Null when the write is allowed.
 */
export function refusedEscalation(
  store: ObjectStore,
  requester: ApiRequester,
  draft: DraftObject,
): ApiRefusal | null {
  const { namespace } = draft.metadata;
  const roles = ROLES[draft.kind];
  if (roles !== undefined) {
    if (may(store, requester, { verb: 'escalate', resource: roles, namespace })) return null;
    return refusedRules(store, requester, draft, listAt(draft, 'rules'), namespace);
  }
  if (draft.kind !== 'RoleBinding' && draft.kind !== 'ClusterRoleBinding') return null;
  const kind = textAt(draft, 'roleRef', 'kind');
  const name = textAt(draft, 'roleRef', 'name');
  const resource = ROLES[kind] ?? 'roles';
  if (may(store, requester, { verb: 'bind', resource, namespace, name })) return null;
  const within = kind === 'Role' && namespace !== undefined ? { namespace } : {};
  const role = store.get({ resource, name, ...within });
  // The Status is about the missing role, not about the binding in the request.
  if (!role.ok) return { ...role, details: { name, group: GROUP, kind: resource } };
  return refusedRules(store, requester, draft, listAt(role.object, 'rules'), namespace);
}

interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly group?: string;
  readonly namespace: string | undefined;
  readonly name?: string | undefined;
}

function may(store: ObjectStore, requester: ApiRequester, asked: Asked): boolean {
  const { verb, namespace, name } = asked;
  const [resource = '', subresource] = asked.resource.split('/');
  const question: AccessQuestion = {
    ...requester,
    verb,
    group: asked.group ?? GROUP,
    resource,
    ...(subresource !== undefined && { subresource }),
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
  };
  return store.authorize(question).allowed;
}

function refusedRules(
  store: ObjectStore,
  requester: ApiRequester,
  draft: DraftObject,
  rules: readonly unknown[],
  namespace: string | undefined,
): ApiRefusal | null {
  const lacking = rules
    .filter(isObject)
    .filter((rule) => !questionsOf(rule, namespace).every((one) => may(store, requester, one)));
  if (lacking.length === 0) return null;
  const { name } = draft.metadata;
  const resource = `${draft.kind.toLowerCase()}s.${GROUP}`;
  const listed = lacking.map(goRule).sort().join('\n');
  const groups = [...requester.groups.filter((one) => one !== AUTHENTICATED), AUTHENTICATED];
  const who = `user "${requester.user}" (groups=[${quoted(groups)}])`;
  return refusal(
    403,
    'Forbidden',
    `${resource} "${name}" is forbidden: ${who} is attempting to grant RBAC permissions not currently held:\n${listed}`,
  );
}

const AUTHENTICATED = 'system:authenticated';
const MEMBERS = {
  APIGroups: 'apiGroups',
  Resources: 'resources',
  ResourceNames: 'resourceNames',
  Verbs: 'verbs',
} as const;

/** A rule as the server prints it (pkg/apis/rbac/helpers.go `CompactString`). */
function goRule(rule: JsonObject): string {
  const parts = Object.entries(MEMBERS)
    .map(([shown, member]) => [shown, textsAt(rule, member)] as const)
    .filter(([, texts]) => texts.length > 0)
    .map(([shown, texts]) => `${shown}:[${quoted(texts)}]`);
  return `{${parts.join(', ')}}`;
}

function quoted(texts: readonly string[]): string {
  return texts.map((text) => JSON.stringify(text)).join(' ');
}

/** Every single permission that a rule grants. */
function questionsOf(rule: JsonObject, namespace: string | undefined): readonly Asked[] {
  const names = valueAt(rule, 'resourceNames') === undefined ? [] : textsAt(rule, 'resourceNames');
  return textsAt(rule, 'verbs').flatMap((verb) =>
    textsAt(rule, 'apiGroups').flatMap((group) =>
      textsAt(rule, 'resources').flatMap((resource) =>
        (names.length === 0 ? [undefined] : names).map((name) => {
          return { verb, group, resource, namespace, name };
        }),
      ),
    ),
  );
}
