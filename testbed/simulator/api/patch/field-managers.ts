import { isDeepStrictEqual } from 'node:util';
import { isObject, listAt, objectAt, textAt, type JsonObject } from '../../../base/json.js';
import { fromFieldsV1, leaves, toFieldsV1, type FieldPath } from './field-paths.js';

export interface FieldWriter {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly time: string;
}

/** Which manager wrote which fields of an object: a simple form of managedFields. */
export interface ManagedEntry extends FieldWriter {
  readonly paths: ReadonlySet<FieldPath>;
}

export function managedEntries(object: JsonObject): readonly ManagedEntry[] {
  return listAt(object, 'metadata', 'managedFields')
    .filter(isObject)
    .map((entry) => ({
      manager: textAt(entry, 'manager'),
      operation: entry['operation'] === 'Apply' ? 'Apply' : 'Update',
      paths: new Set(fromFieldsV1(entry['fieldsV1'])),
      time: textAt(entry, 'time'),
    }));
}

export function isBy(entry: ManagedEntry, writer: FieldWriter): boolean {
  return entry.manager === writer.manager && entry.operation === writer.operation;
}

export function withEntries(object: JsonObject, entries: readonly ManagedEntry[]): JsonObject {
  const apiVersion = textAt(object, 'apiVersion');
  const managedFields = entries
    .filter((entry) => entry.paths.size > 0)
    .map(({ manager, operation, time, paths }) => ({
      manager,
      operation,
      apiVersion,
      ...(time === '' ? {} : { time }),
      fieldsType: 'FieldsV1',
      fieldsV1: toFieldsV1(paths),
    }));
  return { ...object, metadata: { ...objectAt(object, 'metadata'), managedFields } };
}

/** Field ownership after an ordinary write: every changed field now belongs to the writer alone. */
export function recordUpdate(
  before: JsonObject | null,
  after: JsonObject,
  writer: FieldWriter,
): JsonObject {
  const old: ReadonlyMap<FieldPath, unknown> = before === null ? new Map() : leaves(before);
  const now = leaves(after);
  const changed = new Set(
    [...now].flatMap(([path, value]) =>
      old.has(path) && isDeepStrictEqual(old.get(path), value) ? [] : [path],
    ),
  );
  const entries = managedEntries(before ?? {});
  const mine = entries.find((entry) => isBy(entry, writer));
  const others = entries.filter((entry) => entry !== mine);
  const own = new Set([...(mine?.paths ?? []), ...changed].filter((path) => now.has(path)));
  const time = changed.size === 0 ? (mine?.time ?? writer.time) : writer.time;
  return withEntries(after, [
    ...others.map((entry) => ({ ...entry, paths: keep(entry.paths, now, changed) })),
    { ...writer, paths: own, time },
  ]);
}

function keep(
  paths: ReadonlySet<FieldPath>,
  now: ReadonlyMap<FieldPath, unknown>,
  taken: ReadonlySet<FieldPath>,
): ReadonlySet<FieldPath> {
  return new Set([...paths].filter((path) => now.has(path) && !taken.has(path)));
}
