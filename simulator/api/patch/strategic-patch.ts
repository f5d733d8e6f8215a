import { isObject, listAt, type JsonObject } from '../../store/json.js';
import { mergeKey, mergesAsSet } from './list-keys.js';

const DIRECTIVE = '$patch';
const ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';
const RETAIN = '$retainKeys';

/**
 * Strategic merge patch for the merge keys in use, with its directives `$patch: replace|delete`, `$retainKeys` and
 * `$deleteFromPrimitiveList` (apimachinery/pkg/util/strategicpatch). `$setElementOrder` is accepted; order follows the object.
 */
export function strategicPatch(target: unknown, patch: unknown, field = ''): unknown {
  if (Array.isArray(patch)) return mergeList(target, patch as readonly unknown[], field);
  if (!isObject(patch)) return patch;
  if (patch[DIRECTIVE] === 'replace') return withoutDirectives(patch);
  if (patch[DIRECTIVE] === 'delete') return {};
  return mergeMembers(isObject(target) ? target : {}, patch);
}

function mergeMembers(target: JsonObject, patch: JsonObject): JsonObject {
  const merged = new Map(Object.entries(target));
  retainOnly(merged, patch);
  for (const [name, value] of Object.entries(patch)) {
    if (name === DIRECTIVE || name === RETAIN || name.startsWith(ORDER)) continue;
    if (name.startsWith(DELETE_VALUES)) deleteValues(merged, name, value);
    else if (value === null) merged.delete(name);
    else merged.set(name, strategicPatch(merged.get(name), value, name));
  }
  return Object.fromEntries(merged);
}

function retainOnly(merged: Map<string, unknown>, patch: JsonObject): void {
  if (!Array.isArray(patch[RETAIN])) return;
  const keep = new Set(listAt(patch, RETAIN));
  for (const name of [...merged.keys()]) if (!keep.has(name)) merged.delete(name);
}

function deleteValues(merged: Map<string, unknown>, name: string, values: unknown): void {
  const field = name.slice(DELETE_VALUES.length);
  const gone = new Set(Array.isArray(values) ? (values as readonly unknown[]) : []);
  const current = merged.get(field);
  if (!Array.isArray(current)) return;
  merged.set(
    field,
    current.filter((value) => !gone.has(value)),
  );
}

function withoutDirectives(patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(patch).filter(([name]) => name !== DIRECTIVE));
}

function mergeList(target: unknown, patch: readonly unknown[], field: string): unknown {
  const current = Array.isArray(target) ? (target as readonly unknown[]) : [];
  if (mergesAsSet(field)) return [...new Set([...current, ...patch])];
  if (patch.some((item) => isObject(item) && item[DIRECTIVE] === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item[DIRECTIVE] === 'replace'));
  }
  const key = mergeKey(field, [...current, ...patch]);
  return key === null ? patch : mergeByKey(current, patch.filter(isObject), key);
}

function mergeByKey(
  current: readonly unknown[],
  patch: readonly JsonObject[],
  key: string,
): readonly unknown[] {
  const result = [...current];
  for (const item of patch) {
    const index = result.findIndex((one) => isObject(one) && one[key] === item[key]);
    if (item[DIRECTIVE] === 'delete') {
      if (index >= 0) result.splice(index, 1);
    } else if (index >= 0) {
      result[index] = strategicPatch(result[index], item);
    } else {
      result.push(strategicPatch({}, item));
    }
  }
  return result;
}
