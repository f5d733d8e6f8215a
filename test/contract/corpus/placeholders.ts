import { isObject } from '../../../testbed/base/json.js';
import type { Json, RecordedCall } from './exchange.js';

/** Names for values that differ from run to run. */
export interface Placeholders {
  /** `rv3` for the third oldest version of an object; versions in between become `rv3 or later`. */
  version(value: string): string;
  /** The version of a read, which other writers may have advanced: `rv3 or later`. */
  reading(value: string): string;
  uid(value: string): string;
  microTime(value: string): string;
  token(value: string): string;
  /** A message text that contains versions and uids. */
  inText(value: string): string;
}

/** Names for everything that occurs in these calls. */
export function placeholdersOf(calls: readonly RecordedCall[]): Placeholders {
  const versions = [...collectVersions(calls)].sort((a, b) => a - b);
  const reading = (value: string): string => {
    const number = Number(value);
    if (!/^[1-9]\d*$/.test(value)) return value;
    const older = versions.filter((version) => version <= number).length;
    return older === 0 ? 'before rv1' : `rv${older} or later`;
  };
  const version = (value: string): string => {
    const index = versions.indexOf(Number(value));
    return index < 0 ? reading(value) : `rv${index + 1}`;
  };
  const uids = numbered('uid');
  const clock = serverClock(calls);
  return {
    version,
    reading,
    uid: uids.name,
    microTime: (value) => {
      const time = Date.parse(value);
      return time >= clock.from && time <= clock.to ? '<server time>' : value;
    },
    token: (value) => (value.length > 24 ? '<continue>' : value),
    inText: (value) => inText(value, { version, reading, known: uids.known }),
  };
}

/** Versions of objects; those of lists and bookmarks are the server's at that moment. */
function collectVersions(calls: readonly RecordedCall[]): ReadonlySet<number> {
  const found = new Set<number>();
  const collect = (value: Json): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isObject(value)) return;
    const version = Number(value['resourceVersion'] ?? Number.NaN);
    if (Number.isInteger(version) && isObject(value) && typeof value['uid'] === 'string') {
      found.add(version);
    }
    Object.values(value).forEach(collect);
  };
  for (const { exchanges } of calls) {
    for (const { answer } of exchanges) {
      collect(answer.body);
      for (const event of answer.events ?? []) if (event?.type !== 'BOOKMARK') collect(event);
    }
  }
  return found;
}

/** The period in which the server answered, ms; times that a scenario writes itself lie outside it. */
function serverClock(calls: readonly RecordedCall[]): {
  readonly from: number;
  readonly to: number;
} {
  const dates = calls.flatMap(({ exchanges }) =>
    exchanges.map(({ answer }) => Date.parse(answer.headers['date'] ?? '')),
  );
  return { from: Math.min(...dates), to: Math.max(...dates) };
}

interface Numbered {
  readonly known: ReadonlyMap<string, string>;
  name(value: string): string;
}

/** `<uid 1>`, `<uid 2>`, … in the order of their first occurrence. */
function numbered(word: string): Numbered {
  const known = new Map<string, string>();
  return {
    known,
    name: (value) => {
      const before = known.get(value);
      if (before !== undefined) return before;
      const name = value === '' ? '' : `<${word} ${known.size + 1}>`;
      known.set(value, name);
      return name;
    },
  };
}

interface TextNames {
  readonly version: (value: string) => string;
  readonly reading: (value: string) => string;
  readonly known: ReadonlyMap<string, string>;
}

function inText(value: string, { version, reading, known }: TextNames): string {
  let text = value;
  for (const [uid, name] of known) {
    if (uid.length >= 36) text = text.replaceAll(uid, name);
  }
  return (
    text
      // Where several bindings allow it, which one is told is by chance.
      .replace(/^(RBAC: allowed by \w+) "[^"]+" of (\w+) "[^"]+"/, '$1 "<one>" of $2 "<one>"')
      .replaceAll(/"\{\\"(?:[^"\\]|\\.)*"/g, '"<the object>"')
      .replaceAll(
        /(ResourceVersion in (?:the )?\w+(?: \w+)?(?:: | \())(\d+)/g,
        (_all, head, rv) => `${head}${version(rv)}`,
      )
      .replaceAll(
        /(too old resource version: )(\d+) \((\d+)\)/g,
        (_all, head, rv, now) => `${head}${version(rv)} (${reading(now)})`,
      )
  );
}
