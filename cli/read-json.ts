/** No document, request or payload of this tool comes near: what is deeper would overflow the stack of what reads it. */
const DEEPEST = 200;

/** Parses a text as JSON; null where it is not JSON, or none that this tool reads: too deep, or with a number beyond all others. */
export function parseJson(text: string): unknown {
  return readJson(text)?.value ?? null;
}

/** The same, where the JSON `null` is a value. */
export function readJson(text: string): { readonly value: unknown } | null {
  try {
    const value: unknown = JSON.parse(text);
    return isReadable(value) ? { value } : null;
  } catch {
    return null;
  }
}

/** Level by level, because a walk that calls itself would overflow where `JSON.parse` does not. */
function isReadable(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST || level.some(isInfinite)) return false;
    level = level.flatMap(partsOf);
  }
  return true;
}

function isInfinite(value: unknown): boolean {
  return typeof value === 'number' && !Number.isFinite(value);
}

function partsOf(value: unknown): readonly unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}

/** An own member of any value; undefined when there is none. */
export function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
