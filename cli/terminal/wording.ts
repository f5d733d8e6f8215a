import { oneLine } from '../../domain/findings/plain-text.js';
import type { Owner } from '../../domain/vocabulary.js';

/** A number with its noun: `1 warning`, `2 warnings`. */
export function counted(count: number, noun: string): string {
  return `${String(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Units from the largest, in seconds; each is shown with the next smaller one. */
const UNITS = [
  { name: 'd', size: 86_400 },
  { name: 'h', size: 3600 },
  { name: 'min', size: 60 },
  { name: 's', size: 1 },
] as const;

/** Below this, tenths matter. */
const TENTHS_BELOW = 60;

/**
 * A duration for people, in its largest fitting unit and the next smaller one: `2.3 s`, `4 min 10 s`, `3 h 12 min`, `7
 * d`.
 */
export function shownDuration(ms: number): string {
  const seconds = ms / 1000;
  const tenths = Math.max(0, seconds).toFixed(1);
  if (Number(tenths) < TENTHS_BELOW) return `${tenths} s`;
  const whole = Math.round(seconds);
  const at = UNITS.findIndex(({ size }) => whole >= size);
  const [unit, smaller] = UNITS.slice(at);
  if (unit === undefined || smaller === undefined) return `${String(whole)} s`;
  const rest = Math.floor((whole % unit.size) / smaller.size);
  const large = `${String(Math.floor(whole / unit.size))} ${unit.name}`;
  return rest === 0 ? large : `${large} ${String(rest)} ${smaller.name}`;
}

/** A step by its name, and its node where it has one. */
export function stepTitle({
  name,
  node,
}: {
  readonly name: string;
  readonly node: string;
}): string {
  return node === '' ? name : `${name} ${node}`;
}

/** Who runs the cloud controllers, in a sentence. */
export const WHO_RUNS: Readonly<Record<Owner, string>> = {
  kcm: 'the KCM runs the cloud controllers',
  ccm: 'the CCM runs the cloud controllers',
  none: 'no manager runs the cloud controllers',
  both: 'KCM and CCM both run cloud controllers',
  unknown: 'it is not known who runs the cloud controllers',
};

/** The first names of many, and how many more there are. */
export function someNames(names: readonly string[], most = 6): string {
  return firstNames(names, names.length, most);
}

/** The same where only the first of all names are known. */
export function firstNames(names: readonly string[], all: number, most = 6): string {
  const shown = names.slice(0, most);
  const rest = all - shown.length;
  return rest > 0 ? `${shown.join(', ')} and ${rest} more` : shown.join(', ');
}

/** A number with its thousands apart: `1,000`. */
export function shownCount(count: number): string {
  return String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',');
}

/**
 * Wraps a text at word boundaries to at most `width` columns; a longer word gets a line of its own, so that it can be
 * copied whole. Width Infinity wraps nothing.
 */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && longer.length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
}

/** Longer texts are for `-o json`: a screen full of one reason hides the others. */
const LONGEST_SHOWN = 1_000;

/** Foreign text for people: harmless on a terminal, in one line, and not endless. */
export function shownText(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return oneLine(cut);
}
