import { oneLine } from '../../domain/findings/plain-text.js';

/**
 * The same value with every text in one line and without control characters: names, reasons and failures are claims of others, and
 * must not look like a line or a colour of ours where they enter one.
 */
export function flatTexts<T>(value: T): T {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- a text becomes a text, everything else keeps its shape
  return flat(value) as T;
}

function flat(value: unknown): unknown {
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value)) return value.map(flat);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, flat(each)]));
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
