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

/** The readers below take a missing or mistyped part as absent. */
export function textAt(root: unknown, ...path: readonly string[]): string {
  const value = valueAt(root, ...path);
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown, otherwise = 0): number {
  return typeof value === 'number' ? value : otherwise;
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

/** String entries of a map; other values are skipped. */
export function textMapAt(
  root: unknown,
  ...path: readonly string[]
): Readonly<Record<string, string>> {
  const entries = Object.entries(objectAt(root, ...path));
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
