import { isObject, type JsonObject } from '../../../base/json.js';
import { mergeKey } from './list-keys.js';

/** Path to a leaf in the notation of fieldsV1: `f:name` for members, `k:{"name":"x"}` for keyed list items. */
export type FieldPath = string;

const SEPARATOR = '\u0000';
/** Metadata that managedFields never list. */
const UNMANAGED = new Set([
  ...['name', 'namespace', 'uid', 'resourceVersion', 'generation', 'creationTimestamp'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds', 'managedFields', 'selfLink'],
]);

/** Every leaf of an object with its value. Lists without a merge key are leaves. */
export function leaves(object: JsonObject): ReadonlyMap<FieldPath, unknown> {
  const found = new Map<FieldPath, unknown>();
  for (const [name, value] of Object.entries(object)) {
    if (name === 'apiVersion' || name === 'kind') continue;
    if (name !== 'metadata') collect(value, [`f:${name}`], name, found);
    else if (isObject(value)) collectMembers(withoutUnmanaged(value), ['f:metadata'], found);
  }
  return found;
}

function withoutUnmanaged(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !UNMANAGED.has(name)));
}

function collect(
  value: unknown,
  path: readonly string[],
  field: string,
  found: Map<FieldPath, unknown>,
): void {
  if (isObject(value) && Object.keys(value).length > 0) {
    collectMembers(value, path, found);
    return;
  }
  const items = Array.isArray(value) ? (value as readonly unknown[]) : [];
  const key = items.length === 0 ? null : mergeKey(field, items);
  if (key === null) {
    found.set(path.join(SEPARATOR), value);
    return;
  }
  for (const item of items.filter(isObject)) {
    collectMembers(item, [...path, `k:${JSON.stringify({ [key]: item[key] })}`], found);
  }
}

function collectMembers(
  value: JsonObject,
  path: readonly string[],
  found: Map<FieldPath, unknown>,
): void {
  for (const [name, member] of Object.entries(value)) {
    collect(member, [...path, `f:${name}`], name, found);
  }
}

/** `.data.key` as conflict messages show a path. */
export function dottedPath(path: FieldPath): string {
  return path
    .split(SEPARATOR)
    .map((part) => (part.startsWith('f:') ? `.${part.slice(2)}` : `[${part.slice(2)}]`))
    .join('');
}

/** Paths as the nested object of a managedFields entry. */
export function toFieldsV1(paths: Iterable<FieldPath>): JsonObject {
  const root: JsonObject = {};
  for (const path of paths) {
    let at = root;
    for (const part of path.split(SEPARATOR)) {
      const next = at[part];
      const child: JsonObject = isObject(next) ? next : {};
      at[part] = child;
      at = child;
    }
  }
  return root;
}

/** The paths of a managedFields entry. */
export function fromFieldsV1(fields: unknown, prefix: readonly string[] = []): FieldPath[] {
  const members = Object.entries(isObject(fields) ? fields : {});
  if (members.length === 0) return prefix.length === 0 ? [] : [prefix.join(SEPARATOR)];
  return members.flatMap(([name, value]) => fromFieldsV1(value, [...prefix, name]));
}

/** The object without the leaf at a path; objects that become empty are removed too. */
export function withoutPath(value: unknown, path: FieldPath): unknown {
  return drop(value, path.split(SEPARATOR));
}

function drop(value: unknown, [part = '', ...rest]: readonly string[]): unknown {
  if (part.startsWith('k:')) return dropFromList(value, part, rest);
  if (!isObject(value)) return value;
  const name = part.slice(2);
  const child = rest.length === 0 ? undefined : drop(value[name], rest);
  const kept = Object.entries(value).filter(([other]) => other !== name);
  const empty = child === undefined || (isObject(child) && Object.keys(child).length === 0);
  return Object.fromEntries(empty ? kept : [...kept, [name, child]]);
}

function dropFromList(value: unknown, part: string, rest: readonly string[]): unknown {
  if (!Array.isArray(value)) return value;
  const wanted: unknown = JSON.parse(part.slice(2));
  const [key = '', id] = Object.entries(isObject(wanted) ? wanted : {})[0] ?? [];
  const items = value as readonly unknown[];
  const kept = items.map((item) => (isObject(item) && item[key] === id ? drop(item, rest) : item));
  return kept.filter((item) => !(isObject(item) && Object.keys(item).length === 0));
}
