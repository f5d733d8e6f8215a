/** Reads what came from outside, of which nothing is trusted: each function gives null for anything but what it is asked for. */

type Fields = Readonly<Record<string, unknown>>;

/** The members of an object; none of anything else. */
export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A text that is not blank. */
export function readText(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}

/** A whole number from 0. */
export function readCount(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
}

export function readFlag(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

/** One of a closed list. */
export function readOneOf<Word extends string>(
  words: readonly Word[],
  value: unknown,
): Word | null {
  return words.find((word) => word === value) ?? null;
}

/** A list that is read as a whole or not at all. */
export function readEach<Item>(
  value: unknown,
  read: (item: unknown) => Item | null,
): readonly Item[] | null {
  if (!Array.isArray(value)) return null;
  const items: Item[] = [];
  for (const each of value) {
    const item = read(each);
    if (item === null) return null;
    items.push(item);
  }
  return items;
}

/** The members when each of them could be read, else null. */
export function whenAll<Given extends Fields>(
  given: Given,
): { readonly [Name in keyof Given]: NonNullable<Given[Name]> } | null {
  return hasAll(given) ? given : null;
}

function hasAll<Given extends Fields>(
  given: Given,
): given is Given & { readonly [Name in keyof Given]: NonNullable<Given[Name]> } {
  return Object.values(given).every((value) => value !== null);
}
