import {
  isObject,
  listAt,
  objectAt,
  textAt,
  textsAt,
  valueAt,
  type JsonObject,
} from '../../../base/json.js';
import {
  invalidValue,
  requiredValue,
  unsupportedValue,
  type FieldError,
} from '../../store/refusals.js';

/** Limit for the sum of a ConfigMap's values, in bytes (core/v1 `MaxSecretSize`). */
const MOST_DATA = 1024 * 1024;
const CONFIG_KEY =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

/** The validation rules that this product can meet, by kind (pkg/apis/<group>/validation/validation.go, v1.30). */
export function contentErrors(object: JsonObject): readonly FieldError[] {
  switch (textAt(object, 'kind')) {
    case 'ConfigMap':
      return configMapErrors(objectAt(object, 'data'));
    case 'Lease':
      return leaseErrors(objectAt(object, 'spec'));
    case 'Role':
      return listAt(object, 'rules').flatMap((rule, at) => ruleErrors(rule, at, 'namespaced'));
    case 'ClusterRole':
      return listAt(object, 'rules').flatMap((rule, at) => ruleErrors(rule, at, 'wide'));
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return bindingErrors(object);
    case 'DaemonSet':
    case 'Deployment':
      return workloadErrors(object);
    default:
      return [];
  }
}

function configMapErrors(data: JsonObject): readonly FieldError[] {
  const keys = Object.keys(data)
    .filter((key) => !/^[-._a-zA-Z0-9]+$/.test(key))
    .map((key) => invalidValue(`data[${key}]`, JSON.stringify(key), CONFIG_KEY));
  const bytes = Object.values(data).reduce<number>(
    (sum, text) => sum + Buffer.byteLength(String(text)),
    0,
  );
  if (bytes <= MOST_DATA) return keys;
  const message = `Too long: must have at most ${MOST_DATA} bytes`;
  return [...keys, { field: '[]', type: 'TooLong', message }];
}

function leaseErrors(spec: JsonObject): readonly FieldError[] {
  const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = spec;
  const path = 'spec.leaseDurationSeconds';
  return [
    ...(typeof seconds === 'number' && seconds <= 0
      ? [invalidValue(path, String(seconds), 'must be greater than 0')]
      : []),
    ...(typeof transitions === 'number' && transitions < 0
      ? [
          invalidValue(
            'spec.leaseTransitions',
            String(transitions),
            'must be greater than or equal to 0',
          ),
        ]
      : []),
  ];
}

function ruleErrors(
  rule: unknown,
  at: number,
  scope: 'namespaced' | 'wide',
): readonly FieldError[] {
  const path = `rules[${at}]`;
  const errors: FieldError[] = [];
  const needed = (member: string, why: string): void => {
    if (textsAt(rule, member).length === 0) errors.push(requiredValue(`${path}.${member}`, why));
  };
  needed('verbs', 'verbs must contain at least one value');
  const paths = textsAt(rule, 'nonResourceURLs');
  if (paths.length > 0) {
    if (scope === 'namespaced') {
      const list = paths.map((one) => JSON.stringify(one)).join(', ');
      const why = 'namespaced rules cannot apply to non-resource URLs';
      errors.push(invalidValue(`${path}.nonResourceURLs`, `[]string{${list}}`, why));
    }
    return errors;
  }
  needed('apiGroups', 'resource rules must supply at least one api group');
  needed('resources', 'resource rules must supply at least one resource');
  return errors;
}

const SUBJECTS = ['ServiceAccount', 'User', 'Group'];

function bindingErrors(object: JsonObject): readonly FieldError[] {
  const kind = textAt(object, 'roleRef', 'kind');
  const kinds =
    textAt(object, 'kind') === 'RoleBinding' ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(kinds.includes(kind)
      ? []
      : [unsupportedValue('roleRef.kind', JSON.stringify(kind), kinds)]),
    ...(textAt(object, 'roleRef', 'name') === '' ? [requiredValue('roleRef.name')] : []),
    ...listAt(object, 'subjects').flatMap((subject, at) => {
      const is = textAt(subject, 'kind');
      if (SUBJECTS.includes(is)) return [];
      return [unsupportedValue(`subjects[${at}].kind`, JSON.stringify(is), SUBJECTS)];
    }),
  ];
}

function workloadErrors(object: JsonObject): readonly FieldError[] {
  const labels = valueAt(object, 'spec', 'template', 'metadata', 'labels');
  const selected = objectAt(object, 'spec', 'selector', 'matchLabels');
  const own = isObject(labels) ? labels : {};
  const terms = Object.entries(selected);
  // An empty selector selects nothing, not even the template.
  const fits = terms.length > 0 && terms.every(([key, value]) => own[key] === value);
  const errors = fits ? [] : [mismatch(labels)];
  const containers = listAt(object, 'spec', 'template', 'spec', 'containers');
  return containers.length > 0
    ? errors
    : [...errors, requiredValue('spec.template.spec.containers')];
}

function mismatch(labels: unknown): FieldError {
  const why = '`selector` does not match template `labels`';
  return invalidValue('spec.template.metadata.labels', goMap(labels), why);
}

/** A map as Go prints it. */
export function goMap(value: unknown): string {
  if (!isObject(value)) return 'map[string]string(nil)';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = entries.map(([key, text]) => `${JSON.stringify(key)}:${JSON.stringify(text)}`);
  return `map[string]string{${parts.join(', ')}}`;
}
