/** One place where two pieces of JSON differ; values are shortened, they are for people. */
export interface Difference {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** Where two plain JSON values differ, in the order of their keys. Lists of named things are matched by name. */
export function differences(before: unknown, after: unknown, path = ''): readonly Difference[] {
  if (isRecord(before) && isRecord(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) =>
      differences(before[key], after[key], path === '' ? key : `${path}.${key}`),
    );
  }
  const [named, others] = [byName(before), byName(after)];
  if (named !== null && others !== null) return differences(named, others, path);
  if (Array.isArray(before) && Array.isArray(after) && before.length === after.length) {
    return before.flatMap((item, index) => differences(item, after[index], `${path}.${index}`));
  }
  return JSON.stringify(before) === JSON.stringify(after)
    ? []
    : [{ path, before: shown(before), after: shown(after) }];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function byName(value: unknown): Readonly<Record<string, unknown>> | null {
  if (!Array.isArray(value) || value.length === 0) return null;
  const pairs = value.map((item: unknown) => [isRecord(item) ? item['name'] : null, item] as const);
  const names = pairs.map(([name]) => name);
  const usable =
    names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  return usable ? Object.fromEntries(pairs.map(([name, item]) => [String(name), item])) : null;
}

const LONGEST_SHOWN = 60;

function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}
