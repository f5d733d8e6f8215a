import { isObject, listAt, type JsonObject } from '../../../base/json.js';
import { mergeKey, mergesAsSet } from './list-keys.js';

const DIRECTIVE = '$patch';
const ORDER = '$setElementOrder/';
const DELETE_VALUES = '$deleteFromPrimitiveList/';
const RETAIN = '$retainKeys';

/** An item of a keyed list that lacks its key. */
export class MergeKeyError extends Error {
  override readonly name = 'MergeKeyError';
}

/**
 * Strategic merge patch for the merge keys in use, with its directives `$patch: replace|delete`, `$retainKeys` and
 * `$deleteFromPrimitiveList` (apimachinery/pkg/util/strategicpatch). `$setElementOrder` is accepted and honoured.
 */
export function strategicPatch(
  target: unknown,
  patch: unknown,
  field = '',
  order?: unknown,
): unknown {
  if (Array.isArray(patch)) return mergeList(target, patch as readonly unknown[], field, order);
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
    else merged.set(name, strategicPatch(merged.get(name), value, name, patch[ORDER + name]));
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

function mergeList(
  target: unknown,
  patch: readonly unknown[],
  field: string,
  order?: unknown,
): unknown {
  const current = Array.isArray(target) ? (target as readonly unknown[]) : [];
  if (mergesAsSet(field))
    return inOrder(current, [...new Set([...current, ...patch])], patch, same);
  if (patch.some((item) => isObject(item) && item[DIRECTIVE] === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item[DIRECTIVE] === 'replace'));
  }
  const key = mergeKey(field, [...current, ...patch]);
  if (key === null) return patch;
  const isSame = (one: unknown, other: unknown): boolean =>
    isObject(one) && isObject(other) && one[key] === other[key];
  const merged = mergeByKey(current, patch.filter(isObject), key);
  return inOrder(
    current,
    merged,
    Array.isArray(order) ? (order as readonly unknown[]) : patch,
    isSame,
  );
}

type IsSame = (one: unknown, other: unknown) => boolean;
const same: IsSame = (one, other) => one === other;

/**
 * Order of a merged list: items that the patch names come in the patch's order. An item that only the server had
 * keeps its place before the first item that followed it there (strategicpatch/patch.go `mergeSortedSlice`).
 */
function inOrder(
  server: readonly unknown[],
  merged: readonly unknown[],
  order: readonly unknown[],
  isSame: IsSame,
): readonly unknown[] {
  const named = order.flatMap((one) => merged.find((item) => isSame(item, one)) ?? []);
  const others = merged.filter((item) => !order.some((one) => isSame(item, one)));
  const place = (item: unknown): number => server.findIndex((one) => isSame(one, item));
  const result: unknown[] = [];
  for (const item of named) {
    while (others.length > 0 && place(item) >= 0 && place(others[0]) < place(item)) {
      result.push(others.shift());
    }
    result.push(item);
  }
  return [...result, ...others];
}

function keyless(item: JsonObject, key: string): string {
  const members = Object.entries(item).map(([name, value]) => `${name}:${String(value)}`);
  return `map: map[${members.sort().join(' ')}] does not contain declared merge key: ${key}`;
}

function mergeByKey(
  current: readonly unknown[],
  patch: readonly JsonObject[],
  key: string,
): readonly unknown[] {
  const result = [...current];
  for (const item of patch) {
    if (item[key] === undefined) throw new MergeKeyError(keyless(item, key));
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
