/**
 * Command line flags of a controller manager as pflag reads them: `--a=b`, `--a b`, bare switches,
 * `_` for `-`, everything after `--` ignored.
 * Source: spf13/pflag flag.go; k8s.io/component-base cli/flag WordSepNormalizeFunc.
 */
export interface Argument {
  /** Without leading dashes; words are joined by `-`. */
  readonly name: string;
  /** Null for a bare `--name`. */
  readonly value: string | null;
  /** First token and how many tokens it takes. */
  readonly index: number;
  readonly tokens: 1 | 2;
}

/** Switches of KCM and CCM: pflag never takes the next token as their value. */
const SWITCHES: ReadonlySet<string> = new Set([
  'add-dir-header',
  'allocate-node-cidrs',
  'allow-cluster-tagging',
  'allow-metric-labels-manifest',
  'allow-untagged-cloud',
  'allow-verification-with-non-compliant-keys',
  'alsologtostderr',
  'authentication-skip-lookup',
  'authentication-tolerate-lookup-failure',
  'configure-cloud-routes',
  'contention-profiling',
  'enable-dynamic-provisioning',
  'enable-garbage-collector',
  'enable-hostpath-provisioner',
  'enable-leader-migration',
  'enable-taint-manager',
  'experimental-logging-sanitization',
  'help',
  'horizontal-pod-autoscaler-use-rest-clients',
  'leader-elect',
  'logtostderr',
  'one-output',
  'permit-address-sharing',
  'permit-port-sharing',
  'profiling',
  'skip-headers',
  'skip-log-headers',
  'use-service-account-credentials',
  'version',
  'volume-host-allow-local-loopback',
]);

export function parseArguments(tokens: readonly string[]): readonly Argument[] {
  const found: Argument[] = [];
  const end = tokens.indexOf('--');
  const flags = end === -1 ? tokens : tokens.slice(0, end);
  let taken = 0;
  for (const [index, token] of flags.entries()) {
    const argument = index < taken ? null : argumentAt(token, flags[index + 1], index);
    if (argument === null) continue;
    found.push(argument);
    taken = index + argument.tokens;
  }
  return found;
}

function argumentAt(token: string, next: string | undefined, index: number): Argument | null {
  if (!/^--?[^-=]/.test(token)) return null;
  const at = token.indexOf('=');
  const name = (at === -1 ? token : token.slice(0, at)).replace(/^--?/, '').replaceAll('_', '-');
  if (at !== -1) return { name, value: token.slice(at + 1), index, tokens: 1 };
  const takesNext = !SWITCHES.has(name) && next !== undefined && !next.startsWith('--');
  return takesNext
    ? { name, value: next, index, tokens: 2 }
    : { name, value: null, index, tokens: 1 };
}

/** Text of a flag; the last one wins. Null when it is not set. */
export function textFlag(found: readonly Argument[], name: string): string | null {
  return found.findLast((argument) => argument.name === name)?.value ?? null;
}

/** A list flag may be repeated and then grows, as pflag's slices and maps do. */
export function listFlag(found: readonly Argument[], name: string): string {
  return found
    .filter((argument) => argument.name === name)
    .map((argument) => argument.value ?? '')
    .join(',');
}

/** A switch: bare means true; what Go's ParseBool does not take as true is false. */
export function switchFlag(found: readonly Argument[], name: string, byDefault: boolean): boolean {
  const argument = found.findLast((one) => one.name === name);
  if (argument === undefined) return byDefault;
  return (
    argument.value === null || ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(argument.value)
  );
}

/** `15s`, `1m30s`, `1.5h`, `250ms` in seconds, largest unit first as Go prints them; null for anything else. */
export function durationSeconds(text: string): number | null {
  const match = DURATION.exec(text);
  if (match === null || text === '') return null;
  const [, hours = '0', minutes = '0', seconds = '0', milliseconds = '0'] = match;
  return (
    Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(milliseconds) / 1000
  );
}

const DURATION =
  /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;
