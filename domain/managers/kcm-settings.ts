import { listFlag, parseArguments, type Argument } from './arguments.js';
import { gateRefusal, GATE_TABLE_SOURCE } from './feature-gate-table.js';
import { parseGates } from './feature-gates.js';
import { refusedFlags, type RefusedFlag } from './kcm-flags.js';

/** A setting that is left out because a KCM of another minor does not start with it. */
export interface DroppedSetting {
  /** Verbatim: `--port=0`, `--feature-gates=Name=true`. */
  readonly setting: string;
  /** `unknown since 1.24`. */
  readonly why: string;
  /** It no longer had an effect, or its replacement means the same. */
  readonly idle: boolean;
  readonly source: string;
}

/** How the arguments of a KCM change for a binary of another minor. */
export interface KcmSettings {
  /** Names of flags to remove. */
  readonly remove: readonly string[];
  /** Flags that replace some of them. */
  readonly set: Readonly<Record<string, string>>;
  /** `--feature-gates` without those that the binary refuses; empty for none. */
  readonly featureGates: string;
  readonly dropped: readonly DroppedSetting[];
}

/**
 * Which of these arguments a KCM of this minor keeps, and which would make it exit: `unknown flag`, `unrecognized
 * feature gate`.
 */
export function kcmSettings(words: readonly string[], minor: number): KcmSettings {
  const found = parseArguments(words);
  const flags = refusedFlags(found, minor);
  const gates = [...parseGates(listFlag(found, 'feature-gates'))].map(([name, value]) => ({
    text: `${name}=${value}`,
    refusal: gateRefusal(name, value, minor),
  }));
  return {
    remove: [...new Set(flags.map(({ name }) => name))],
    set: Object.fromEntries(flags.flatMap((flag) => replacement(found, flag))),
    featureGates: gates.flatMap(({ text, refusal }) => (refusal === null ? [text] : [])).join(','),
    dropped: [
      ...flags.map(droppedFlag),
      ...gates.flatMap(({ text, refusal }) =>
        refusal === null ? [] : [droppedGate(text, refusal)],
      ),
    ],
  };
}

/** Both names set the same option, so the last one wins. */
function replacement(
  found: readonly Argument[],
  { name, replacedBy }: RefusedFlag,
): readonly (readonly [string, string])[] {
  if (replacedBy === null) return [];
  const last = found.findLast((one) => one.name === name || one.name === replacedBy);
  return [[replacedBy, last?.value ?? '']];
}

function droppedFlag({
  name,
  value,
  since,
  idle,
  replacedBy,
  source,
}: RefusedFlag): DroppedSetting {
  const refused = `refused since 1.${String(since)}`;
  return {
    setting: value === null ? `--${name}` : `--${name}=${value}`,
    why: replacedBy === null ? refused : `${refused}, replaced by --${replacedBy}`,
    idle: idle || replacedBy !== null,
    source,
  };
}

function droppedGate(text: string, why: string): DroppedSetting {
  return { setting: `--feature-gates=${text}`, why, idle: false, source: GATE_TABLE_SOURCE };
}
