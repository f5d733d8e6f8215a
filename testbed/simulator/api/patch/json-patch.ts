import { isDeepStrictEqual } from 'node:util';
import { isObject, textAt, type JsonObject } from '../../../base/json.js';

/** Why a patch cannot be applied. */
export class PatchError extends Error {
  override readonly name = 'PatchError';
}

/** JSON patch (RFC 6902). Applies every operation, or throws `PatchError` and applies none. */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new PatchError('a JSON patch is a list of operations');
  return operations.reduce<unknown>((document, operation) => {
    if (!isObject(operation)) throw new PatchError('an operation of a JSON patch is an object');
    return applyOperation(document, operation);
  }, target);
}

function applyOperation(document: unknown, operation: JsonObject): unknown {
  const path = pointer(textAt(operation, 'path'));
  const value = operation['value'];
  switch (operation['op']) {
    case 'add':
      return edit(document, path, (parent, key) => added(parent, key, value), value);
    case 'replace':
      read(document, path);
      return edit(document, path, (parent, key) => replaced(parent, key, value), value);
    case 'remove':
      read(document, path);
      return edit(document, path, removed, null);
    case 'test':
      if (isDeepStrictEqual(read(document, path), value)) return document;
      throw new PatchError(`testing value ${textAt(operation, 'path')} failed`);
    case 'copy':
    case 'move':
      return relocate(document, operation, path);
    default:
      throw new PatchError(`unknown operation ${JSON.stringify(operation['op'])}`);
  }
}

function relocate(document: unknown, operation: JsonObject, path: readonly string[]): unknown {
  const from = pointer(textAt(operation, 'from'));
  const value = structuredClone(read(document, from));
  const without = operation['op'] === 'move' ? edit(document, from, removed, null) : document;
  return edit(without, path, (parent, key) => added(parent, key, value), value);
}

function pointer(text: string): readonly string[] {
  if (text === '') return [];
  if (!text.startsWith('/')) throw new PatchError(`path ${JSON.stringify(text)} lacks its slash`);
  return text
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function read(document: unknown, path: readonly string[]): unknown {
  let value = document;
  for (const key of path) {
    const next = member(value, key);
    if (next === undefined) throw new PatchError(`no value at /${path.join('/')}`);
    value = next;
  }
  return value;
}

function member(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return (value as readonly unknown[])[position(value, key, 'inside')];
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function position(list: readonly unknown[], key: string, end: 'inside' | 'append'): number {
  if (key === '-' && end === 'append') return list.length;
  const index = /^(0|[1-9]\d*)$/.test(key) ? Number(key) : Number.NaN;
  const limit = end === 'append' ? list.length : list.length - 1;
  if (Number.isNaN(index) || index > limit) throw new PatchError(`no list position ${key}`);
  return index;
}

type Change = (parent: unknown, key: string) => unknown;

/** Copies every object on the path down to the parent of `path` and changes the parent. */
function edit(document: unknown, path: readonly string[], change: Change, whole: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return whole;
  if (rest.length === 0) return change(document, key);
  const child = member(document, key);
  if (child === undefined) throw new PatchError(`no value at ${key}`);
  return replaced(document, key, edit(child, rest, change, whole));
}

function added(parent: unknown, key: string, value: unknown): unknown {
  if (!Array.isArray(parent)) return replaced(parent, key, value);
  return (parent as readonly unknown[]).toSpliced(position(parent, key, 'append'), 0, value);
}

function replaced(parent: unknown, key: string, value: unknown): unknown {
  if (Array.isArray(parent)) {
    return (parent as readonly unknown[]).with(position(parent, key, 'inside'), value);
  }
  if (!isObject(parent)) throw new PatchError(`${key} has no parent to stand in`);
  return Object.fromEntries([
    ...Object.entries(parent).filter(([name]) => name !== key),
    [key, value],
  ]);
}

function removed(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) {
    return (parent as readonly unknown[]).toSpliced(position(parent, key, 'inside'), 1);
  }
  if (!isObject(parent)) throw new PatchError(`${key} has no parent to leave`);
  return Object.fromEntries(Object.entries(parent).filter(([name]) => name !== key));
}
