import type { AccessQuestion, StoredObject } from '../model.js';
import { isObject, listAt, objectAt, textAt, textsAt, type JsonObject } from '../../base/json.js';

/** Where Roles, ClusterRoles and their bindings are read; every read returns what is stored now. */
export interface AccessSource {
  list(resource: string): Iterable<StoredObject>;
  get(resource: string, namespace: string, name: string): StoredObject | undefined;
}

export interface AccessDecision {
  readonly allowed: boolean;
  /** The rule that allowed it, as in audit logs; empty when denied. */
  readonly reason: string;
}

export type Authorize = (question: AccessQuestion) => AccessDecision;

const REFUSED: AccessDecision = { allowed: false, reason: '' };
const SERVICE_ACCOUNT = 'system:serviceaccount:';

/**
 * The RBAC rules of Kubernetes (plugin/pkg/auth/authorizer/rbac/rbac.go and pkg/apis/rbac/v1/evaluation_helpers.go):
 * rules are purely additive, and members of system:masters may do everything.
 */
export function createAuthorizer(source: AccessSource): Authorize {
  return (question) => {
    const groups = effectiveGroups(question);
    if (groups.has('system:masters')) return { allowed: true, reason: 'group system:masters' };
    const reason =
      findAllowing(source, 'clusterrolebindings', question, groups) ??
      findAllowing(source, 'rolebindings', question, groups);
    return reason === undefined ? REFUSED : { allowed: true, reason };
  };
}

/** For example `RBAC: allowed by RoleBinding "x/kube-system" of Role "x" to User "someone"`. */
function reasonOf(binding: StoredObject, subject: unknown): string {
  const { namespace, name } = binding.metadata;
  const where = namespace === undefined ? name : `${name}/${namespace}`;
  const role = `${textAt(binding, 'roleRef', 'kind')} "${textAt(binding, 'roleRef', 'name')}"`;
  const space = textAt(subject, 'namespace');
  const who = `${textAt(subject, 'name')}${space === '' ? '' : `/${space}`}`;
  return `RBAC: allowed by ${binding.kind} "${where}" of ${role} to ${textAt(subject, 'kind')} "${who}"`;
}

/** Service accounts are in two implicit groups, and every authenticated user is in a third. */
function effectiveGroups(question: AccessQuestion): ReadonlySet<string> {
  const groups = new Set([...question.groups]);
  if (question.user !== 'system:anonymous') groups.add('system:authenticated');
  if (question.user.startsWith(SERVICE_ACCOUNT)) {
    const [namespace = ''] = question.user.slice(SERVICE_ACCOUNT.length).split(':');
    groups.add('system:serviceaccounts');
    groups.add(`${SERVICE_ACCOUNT.slice(0, -1)}s:${namespace}`);
  }
  return groups;
}

function findAllowing(
  source: AccessSource,
  resource: 'clusterrolebindings' | 'rolebindings',
  question: AccessQuestion,
  groups: ReadonlySet<string>,
): string | undefined {
  for (const binding of source.list(resource)) {
    const { namespace } = binding.metadata;
    if (resource === 'rolebindings' && namespace !== (question.namespace ?? '')) continue;
    const isMeant = (one: unknown): boolean => isSubject(one, question.user, groups);
    const subject = listAt(binding, 'subjects').find(isMeant);
    if (subject === undefined) continue;
    const rules = rulesOf(source, binding);
    if (rules.some((rule) => ruleAllows(rule, question))) return reasonOf(binding, subject);
  }
  return undefined;
}

function isSubject(subject: unknown, user: string, groups: ReadonlySet<string>): boolean {
  const name = textAt(subject, 'name');
  switch (textAt(subject, 'kind')) {
    case 'User':
      return name === user;
    case 'Group':
      return groups.has(name);
    case 'ServiceAccount':
      return user === `${SERVICE_ACCOUNT}${textAt(subject, 'namespace')}:${name}`;
    default:
      return false;
  }
}

function rulesOf(source: AccessSource, binding: StoredObject): readonly JsonObject[] {
  const roleRef = objectAt(binding, 'roleRef');
  const name = textAt(roleRef, 'name');
  const role =
    textAt(roleRef, 'kind') === 'Role'
      ? source.get('roles', binding.metadata.namespace ?? '', name)
      : source.get('clusterroles', '', name);
  return listAt(role, 'rules').filter(isObject);
}

function ruleAllows(rule: JsonObject, question: AccessQuestion): boolean {
  return (
    listed(rule, 'verbs', question.verb) &&
    listed(rule, 'apiGroups', question.group) &&
    resourceListed(rule, question) &&
    nameListed(rule, question.name ?? '')
  );
}

function listed(rule: JsonObject, field: string, wanted: string): boolean {
  const values = textsAt(rule, field);
  return values.includes('*') || values.includes(wanted);
}

function resourceListed(rule: JsonObject, { resource, subresource }: AccessQuestion): boolean {
  const values = textsAt(rule, 'resources');
  if (values.includes('*')) return true;
  if (subresource === undefined) return values.includes(resource);
  return values.includes(`${resource}/${subresource}`) || values.includes(`*/${subresource}`);
}

/** A rule with resourceNames never allows a request without a name, such as create (its name is only in the body). */
function nameListed(rule: JsonObject, name: string): boolean {
  const names = textsAt(rule, 'resourceNames');
  return names.length === 0 || names.includes(name);
}
