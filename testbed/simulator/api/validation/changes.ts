import { listAt, objectAt, textAt, valueAt, type JsonObject } from '../../../base/json.js';
import { forbiddenValue, invalidValue, type FieldError } from '../../store/refusals.js';
import { goMap } from './valid-objects.js';

/** Immutable fields, as validation of updates reports them. */
export function changeErrors(before: JsonObject, after: JsonObject): readonly FieldError[] {
  const same = (...path: readonly string[]): boolean =>
    JSON.stringify(valueAt(before, ...path)) === JSON.stringify(valueAt(after, ...path));
  switch (textAt(before, 'kind')) {
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return same('roleRef') ? [] : [roleRefError(objectAt(after, 'roleRef'))];
    case 'DaemonSet':
    case 'Deployment':
      return same('spec', 'selector') ? [] : [selectorError(after)];
    case 'Node':
      return providerErrors(before, after);
    case 'Pod':
      return sameContainers(before, after) ? [] : [podError()];
    default:
      return [];
  }
}

function roleRefError(roleRef: JsonObject): FieldError {
  const member = (name: string): string => JSON.stringify(textAt(roleRef, name));
  const value = `rbac.RoleRef{APIGroup:${member('apiGroup')}, Kind:${member('kind')}, Name:${member('name')}}`;
  return invalidValue('roleRef', value, 'cannot change roleRef');
}

function selectorError(after: JsonObject): FieldError {
  const labels = goMap(valueAt(after, 'spec', 'selector', 'matchLabels'));
  const value = `v1.LabelSelector{MatchLabels:${labels}, MatchExpressions:[]v1.LabelSelectorRequirement(nil)}`;
  return invalidValue('spec.selector', value, 'field is immutable');
}

function providerErrors(before: JsonObject, after: JsonObject): readonly FieldError[] {
  const [was, is] = [textAt(before, 'spec', 'providerID'), textAt(after, 'spec', 'providerID')];
  if (was === '' || was === is) return [];
  const why = 'node updates may not change providerID except from "" to valid';
  return [forbiddenValue('spec.providerID', why)];
}

/** The server appends a diff of both specs, which no client reads; it is omitted here. */
function podError(): FieldError {
  const allowed = [
    ...['`spec.containers[*].image`', '`spec.initContainers[*].image`'],
    '`spec.activeDeadlineSeconds`',
  ].join(',');
  const why =
    `pod updates may not change fields other than ${allowed},` +
    '`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` ' +
    '(allow it to be set to 1 if it was previously negative)';
  return forbiddenValue('spec', why);
}

function sameContainers(before: JsonObject, after: JsonObject): boolean {
  const shape = (pod: JsonObject): string =>
    JSON.stringify(
      listAt(pod, 'spec', 'containers').map((container) => [
        textAt(container, 'name'),
        valueAt(container, 'command'),
        valueAt(container, 'args'),
      ]),
    );
  return listAt(before, 'spec', 'containers').length === 0 || shape(before) === shape(after);
}
