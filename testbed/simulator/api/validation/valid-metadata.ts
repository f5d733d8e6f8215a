import {
  forbiddenValue,
  invalidValue,
  requiredValue,
  type FieldError,
} from '../../store/refusals.js';
import { listAt, objectAt, textAt, type JsonObject } from '../../../base/json.js';
import { isLabelValue, LABEL_VALUE } from '../../store/label-value.js';

/** Names, labels and finalizers, with the texts of apimachinery pkg/util/validation/validation.go. */
const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and " +
  "end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_KEY =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

const IS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const IS_LABEL_KEY = /^([^/]+\/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const LONGEST_NAME = 253;
/** core/helper `IsStandardFinalizerName`. */
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** Roles and bindings follow the path segment rules: `system:node` is valid there. */
export function nameErrors(name: string, rule: 'subdomain' | 'pathSegment'): readonly FieldError[] {
  const field = 'metadata.name';
  if (name === '') return [requiredValue(field, 'name or generateName is required')];
  const wrong = (why: string): readonly FieldError[] => [
    invalidValue(field, JSON.stringify(name), why),
  ];
  if (rule === 'pathSegment') {
    if (name === '.' || name === '..') return wrong(`may not be '${name}'`);
    const sign = ['/', '%'].find((one) => name.includes(one));
    return sign === undefined ? [] : wrong(`may not contain '${sign}'`);
  }
  if (name.length > LONGEST_NAME) return wrong(`must be no more than ${LONGEST_NAME} characters`);
  return IS_SUBDOMAIN.test(name) ? [] : wrong(SUBDOMAIN);
}

export function metadataErrors(object: JsonObject): readonly FieldError[] {
  return [...labelErrors(objectAt(object, 'metadata', 'labels')), ...finalizerErrors(object)];
}

function labelErrors(labels: JsonObject): readonly FieldError[] {
  const field = 'metadata.labels';
  // The server iterates over a Go map, so its order of errors is random; here they are sorted by name.
  return Object.entries(labels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [
      ...(IS_LABEL_KEY.test(key) ? [] : [invalidValue(field, JSON.stringify(key), LABEL_KEY)]),
      ...(isLabelValue(String(value))
        ? []
        : [invalidValue(field, JSON.stringify(value), LABEL_VALUE)]),
    ]);
}

function finalizerErrors(object: JsonObject): readonly FieldError[] {
  const why = 'name is neither a standard finalizer name nor is it fully qualified';
  return listAt(object, 'metadata', 'finalizers').flatMap((finalizer, index) => {
    const name = String(finalizer);
    if (name.includes('/') || STANDARD_FINALIZERS.has(name)) return [];
    return [invalidValue(`metadata.finalizers[${index}]`, JSON.stringify(name), why)];
  });
}

/** Immutable metadata. Each error is reported twice, by the kind's validation and by the server's own. */
export function metadataChangeErrors(before: JsonObject, after: JsonObject): readonly FieldError[] {
  const errors = [
    ...uidErrors(textAt(before, 'metadata', 'uid'), textAt(after, 'metadata', 'uid')),
    ...newFinalizerErrors(before, after),
    ...metadataErrors(after),
  ];
  return errors.flatMap((error) => [error, error]);
}

function uidErrors(before: string, after: string): readonly FieldError[] {
  if (after === '' || after === before) return [];
  return [invalidValue('metadata.uid', JSON.stringify(after), 'field is immutable')];
}

function newFinalizerErrors(before: JsonObject, after: JsonObject): readonly FieldError[] {
  if (textAt(before, 'metadata', 'deletionTimestamp') === '') return [];
  const known = new Set(listAt(before, 'metadata', 'finalizers'));
  const added = listAt(after, 'metadata', 'finalizers').filter((one) => !known.has(one));
  if (added.length === 0) return [];
  const list = added.map((one) => JSON.stringify(one)).join(', ');
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbiddenValue('metadata.finalizers', why)];
}
