/** The flags of a manager with pflag's rules: the last occurrence wins, `--flag` alone is `true`. */
export interface CommandLine {
  text(flag: string, otherwise: string): string;
  bool(flag: string, otherwise: boolean): boolean;
  /** Go duration in milliseconds. */
  durationMs(flag: string, otherwise: number): number;
  /** Comma-separated values. */
  list(flag: string, otherwise: readonly string[]): readonly string[];
  /** A `name=true|false` entry of `--feature-gates`. */
  gate(name: string): boolean | undefined;
}

/** Flags that take a value only after `=`, as Go's boolean flags do. */
const BOOLEAN_FLAGS = new Set([
  'leader-elect',
  'enable-leader-migration',
  'allocate-node-cidrs',
  'configure-cloud-routes',
  'use-service-account-credentials',
  'allow-untagged-cloud',
  'profiling',
]);

export function readCommandLine(args: readonly string[]): CommandLine {
  const flags = collectFlags(args);
  const text = (flag: string, otherwise: string): string => flags.get(flag) ?? otherwise;
  return {
    text,
    bool: (flag, otherwise) => {
      const value = flags.get(flag);
      return value === undefined ? otherwise : /^(1|t|true)$/i.test(value);
    },
    durationMs: (flag, otherwise) => {
      const value = flags.get(flag);
      return value === undefined ? otherwise : (parseGoDuration(value) ?? otherwise);
    },
    list: (flag, otherwise) => {
      const value = flags.get(flag);
      return value === undefined ? otherwise : value.split(',').map((each) => each.trim());
    },
    gate: (name) => {
      const found = new RegExp(`(?:^|,)\\s*${name}=(\\w+)`).exec(text('feature-gates', ''));
      return found?.[1] === undefined ? undefined : found[1].toLowerCase() === 'true';
    },
  };
}

function collectFlags(args: readonly string[]): ReadonlyMap<string, string> {
  const flags = new Map<string, string>();
  for (let index = 0; index < args.length; index += 1) {
    const found = /^--?([^=]+)(?:=([\s\S]*))?$/.exec(args[index] ?? '');
    if (found?.[1] === undefined) continue;
    const [, flag, joined] = found;
    const next = joined ?? separateValue(flag, args[index + 1]);
    flags.set(flag, next ?? 'true');
    if (joined === undefined && next !== undefined) index += 1;
  }
  return flags;
}

/** The value in `--flag value`, a form that boolean flags do not have. */
function separateValue(flag: string, next: string | undefined): string | undefined {
  return BOOLEAN_FLAGS.has(flag) || next?.startsWith('-') !== false ? undefined : next;
}

const UNIT_MS: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0.001,
};

/** `1m30s`, `15s`, `500ms` in milliseconds; undefined when it is not a duration. */
function parseGoDuration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(h|ms|m|s|us))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|m|s|us)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ''] ?? 0);
  }
  return total;
}
