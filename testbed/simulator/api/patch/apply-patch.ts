import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../../base/json.js';
import { isObject, textAt } from '../../../base/json.js';
import {
  isBy,
  managedEntries,
  withEntries,
  type ManagedEntry,
  type FieldWriter,
} from './field-managers.js';
import { leaves, dottedPath, withoutPath, type FieldPath } from './field-paths.js';
import { strategicPatch } from './strategic-patch.js';

export type ApplyResult =
  | { readonly kind: 'applied'; readonly object: JsonObject }
  | { readonly kind: 'conflict'; readonly conflicts: readonly ApplyConflict[] };

export interface ApplyConflict {
  /** Quoted, as shown in messages. */
  readonly manager: string;
  /** As shown in messages, for example `.data.key`. */
  readonly field: string;
}

/**
 * Server-side apply: the configuration is the complete intent of this manager. A field that it no longer names is
 * removed unless another manager owns it; a field that another manager set to a different value is a conflict unless
 * forced (KEP-555).
 */
export function applyPatch(
  current: JsonObject | null,
  configuration: JsonObject,
  writer: FieldWriter,
  force: boolean,
): ApplyResult {
  const wanted = leaves(configuration);
  const entries = current === null ? [] : managedEntries(current);
  const others = entries.filter((entry) => !isBy(entry, writer));
  const contested = contestedPaths(current, wanted, others, textAt(configuration, 'apiVersion'));
  const conflicts = [...contested].map(([path, manager]) => ({ manager, field: dottedPath(path) }));
  if (conflicts.length > 0 && !force) return { kind: 'conflict', conflicts };
  const mine = entries.find((entry) => isBy(entry, writer));
  const pruned = prune(current ?? {}, mine, wanted, others);
  const merged = strategicPatch(pruned, configuration);
  const kept = others.map((entry) => ({
    ...entry,
    paths: new Set([...entry.paths].filter((path) => !contested.has(path))),
  }));
  const paths = new Set(wanted.keys());
  // An apply that repeats the same fields is no change, so its time stays too.
  const time = isDeepStrictEqual(mine?.paths, paths) ? (mine?.time ?? '') : writer.time;
  const own: ManagedEntry = { ...writer, paths, time };
  const object = isObject(merged) ? merged : {};
  return { kind: 'applied', object: withEntries(object, [...kept, own]) };
}

function contestedPaths(
  current: JsonObject | null,
  wanted: ReadonlyMap<FieldPath, unknown>,
  others: readonly ManagedEntry[],
  configured: string,
): ReadonlyMap<FieldPath, string> {
  const now = current === null ? new Map<FieldPath, unknown>() : leaves(current);
  const contested = new Map<FieldPath, string>();
  for (const [path, value] of wanted) {
    const differs = now.has(path) && !isDeepStrictEqual(now.get(path), value);
    const owner = differs ? others.find((entry) => entry.paths.has(path)) : undefined;
    if (owner !== undefined) contested.set(path, told(owner, configured));
  }
  return contested;
}

/**
 * A manager as conflicts name it: one that updated is listed with the version that it wrote
 * (fieldmanager/conflict.go).
 */
function told({ manager, operation }: ManagedEntry, apiVersion: string): string {
  const name = JSON.stringify(manager);
  return operation === 'Apply' ? name : `${name} using ${apiVersion}`;
}

function prune(
  current: JsonObject,
  mine: ManagedEntry | undefined,
  wanted: ReadonlyMap<FieldPath, unknown>,
  others: readonly ManagedEntry[],
): unknown {
  const dropped = [...(mine?.paths ?? [])].filter(
    (path) => !wanted.has(path) && !others.some((entry) => entry.paths.has(path)),
  );
  return dropped.reduce<unknown>(withoutPath, current);
}
