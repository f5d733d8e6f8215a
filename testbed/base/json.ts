/** A JSON object of unknown shape, as request bodies and stored objects are. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of member names; undefined when any of them is missing. */
export function valueAt(root: unknown, ...path: readonly string[]): unknown {
  let value = root;
  for (const name of path) {
    if (!isObject(value)) return undefined;
    value = value[name];
  }
  return value;
}

export function textAt(root: unknown, ...path: readonly string[]): string {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : '';
}

export function objectAt(root: unknown, ...path: readonly string[]): JsonObject {
  const value = valueAt(root, ...path);
  return isObject(value) ? value : {};
}

export function listAt(root: unknown, ...path: readonly string[]): readonly unknown[] {
  const value = valueAt(root, ...path);
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

export function textsAt(root: unknown, ...path: readonly string[]): readonly string[] {
  return listAt(root, ...path).filter((item) => typeof item === 'string');
}
