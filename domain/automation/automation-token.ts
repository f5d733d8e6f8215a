/** What automation may ask for. There is no other word: a person approves, skips, resumes, retries and starts. */
export const AUTOMATION_VERBS = ['pause', 'rollBack'] as const;
export type AutomationVerb = (typeof AUTOMATION_VERBS)[number];

/** A token as the file has it: never the token itself. */
export interface AutomationToken {
  readonly name: string;
  /** SHA-256 of the token, 64 hexadecimal digits. */
  readonly sha256: string;
  /** Epoch ms. */
  readonly expiresAtMs: number;
  readonly verbs: readonly AutomationVerb[];
  /** Names or UIDs of clusters; `*` stands for any characters. */
  readonly clusters: readonly string[];
  /** Names of fleets, in the same way; their clusters too. */
  readonly fleets: readonly string[];
}

/** A run or fleet as the server knows it, never as an alert names it. */
export type CommandedRun =
  | {
      readonly kind: 'cluster';
      readonly workflowId: string;
      /** First run id. */
      readonly runId: string;
      readonly name: string;
      readonly uid: string;
      /** Empty for a cluster on its own. */
      readonly fleet: string;
    }
  | {
      readonly kind: 'fleet';
      readonly workflowId: string;
      readonly runId: string;
      readonly name: string;
    };

/** Whether a token may ask for this here. */
export function mayCommand(
  { verbs, clusters, fleets }: AutomationToken,
  verb: AutomationVerb,
  run: CommandedRun,
): boolean {
  if (!verbs.includes(verb)) return false;
  if (run.kind === 'fleet') return matchesAny(fleets, run.name);
  const { name, uid, fleet } = run;
  return matchesAny(clusters, name) || matchesAny(clusters, uid) || matchesAny(fleets, fleet);
}

/** An unknown name matches nothing, not even `*`. */
function matchesAny(patterns: readonly string[], name: string): boolean {
  return name !== '' && patterns.some((pattern) => matches(pattern, name));
}

/** The parts between `*` follow each other; the first begins and the last ends the name. Never slower than their lengths multiplied. */
function matches(pattern: string, name: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return pattern === name;
  const last = pattern.slice(pattern.lastIndexOf('*') + 1);
  if (!name.startsWith(pattern.slice(0, star))) return false;
  let at = star;
  for (const part of pattern
    .slice(star + 1)
    .split('*')
    .slice(0, -1)) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** Whether it counts now. A clock that is wrong by more than its rest of life is the operator's to notice. */
export function isLive({ expiresAtMs }: AutomationToken, nowMs: number): boolean {
  return nowMs < expiresAtMs;
}
