import { isObject, type JsonObject } from '../../base/json.js';
import type { YamlPath } from '../documents/located-yaml.js';

/** What is wrong with a shape, and where: at a key or at its value. */
export interface ShapeComplaint {
  readonly path: YamlPath;
  readonly about: 'key' | 'value';
  readonly message: string;
}

const DURATION = /^(\d+)(ms|s|m)$/;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000 };

/**
 * Reads an object key by key. Every reader takes a missing key as absent and complains about a wrong value; `end` complains
 * about each key that nothing has read.
 */
export class StrictObject {
  private readonly known = new Set<string>();
  private readonly members: JsonObject;
  private readonly path: YamlPath;
  private readonly complaints: ShapeComplaint[];

  constructor(value: unknown, path: YamlPath, complaints: ShapeComplaint[]) {
    this.path = path;
    this.complaints = complaints;
    this.members = isObject(value) ? value : {};
    if (!isObject(value)) this.complain('must be an object');
  }

  /** Complains about this object, or about one of its keys. */
  complain(message: string, key?: string, about: 'key' | 'value' = 'value'): void {
    this.complaints.push({
      path: key === undefined ? this.path : [...this.path, key],
      about,
      message,
    });
  }

  has(key: string): boolean {
    this.known.add(key);
    return Object.hasOwn(this.members, key);
  }

  text(key: string, pattern: RegExp, hint: string): string | undefined {
    return this.read(
      key,
      (value) => (isText(value) && pattern.test(value) ? value : undefined),
      hint,
    );
  }

  flag(key: string): boolean | undefined {
    return this.read(
      key,
      (value) => (typeof value === 'boolean' ? value : undefined),
      'true or false',
    );
  }

  whole(key: string, least: number, most: number): number | undefined {
    const isRight = (value: unknown): value is number =>
      typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most;
    const hint = `a whole number from ${String(least)} to ${String(most)}`;
    return this.read(key, (value) => (isRight(value) ? value : undefined), hint);
  }

  share(key: string): number | undefined {
    return this.read(
      key,
      (value) => (typeof value === 'number' && value >= 0 && value <= 1 ? value : undefined),
      'a number from 0 to 1',
    );
  }

  oneOf<T extends string>(key: string, choices: readonly T[]): T | undefined {
    const hint = `one of ${choices.join(', ')}`;
    return this.read(key, (value) => choices.find((choice) => choice === value), hint);
  }

  /** Milliseconds. */
  duration(key: string): number | undefined {
    return this.read(key, durationMsOf, 'a duration such as 500ms, 30s or 2m');
  }

  /** Two durations, milliseconds. */
  range(key: string): readonly [number, number] | undefined {
    return this.read(key, rangeOf, 'two durations, the shorter one first: [500ms, 2s]');
  }

  texts(key: string): readonly string[] | undefined {
    return this.read(
      key,
      (value) => (Array.isArray(value) && value.every(isText) ? value : undefined),
      'a list of texts',
    );
  }

  textMap(key: string): Readonly<Record<string, string>> | undefined {
    const entries = (value: unknown): Readonly<Record<string, string>> | undefined => {
      if (!isObject(value) || !Object.values(value).every(isText)) return undefined;
      return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
    };
    return this.read(key, entries, 'texts by name');
  }

  object(key: string): StrictObject | undefined {
    if (!this.has(key)) return undefined;
    return new StrictObject(this.members[key], [...this.path, key], this.complaints);
  }

  /** One for each entry of a list; none when the key is missing. */
  objects(key: string): readonly StrictObject[] {
    const list = this.read<readonly unknown[]>(
      key,
      (value) => (Array.isArray(value) ? value : undefined),
      'a list',
    );
    return (list ?? []).map(
      (value, index) => new StrictObject(value, [...this.path, key, index], this.complaints),
    );
  }

  end(): void {
    for (const key of Object.keys(this.members)) {
      if (!this.known.has(key)) {
        this.complain(`unknown key; known: ${[...this.known].join(', ')}`, key, 'key');
      }
    }
  }

  private read<T>(
    key: string,
    take: (value: unknown) => T | undefined,
    hint: string,
  ): T | undefined {
    if (!this.has(key)) return undefined;
    const taken = take(this.members[key]);
    if (taken === undefined) this.complain(`must be ${hint}`, key);
    return taken;
  }
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function durationMsOf(value: unknown): number | undefined {
  const [, amount, unit = ''] = DURATION.exec(isText(value) ? value : '') ?? [];
  return amount === undefined ? undefined : Number(amount) * (UNIT_MS[unit] ?? Number.NaN);
}

function rangeOf(value: unknown): readonly [number, number] | undefined {
  if (!Array.isArray(value) || value.length !== 2) return undefined;
  const [low, high] = [durationMsOf(value[0]), durationMsOf(value[1])];
  return low === undefined || high === undefined || low > high ? undefined : [low, high];
}
