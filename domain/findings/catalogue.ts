import { oneLine } from './plain-text.js';
import { BLOCKED } from './blocked.js';
import { BREACHES } from './breaches.js';
import { CONFIGURATION } from './configuration.js';
import type { CatalogueEntry, Finding, Severity } from './finding.js';
import { CLUSTER_FINDINGS } from './preflight-cluster.js';
import { LEADER_MIGRATION_FINDINGS } from './preflight-leader-migration.js';
import { VERSION_FINDINGS } from './preflight-versions.js';
import { HOLDS, RUNS } from './runs.js';

/** CCM1xxx: what is checked before the first step. */
const PREFLIGHT = {
  ...LEADER_MIGRATION_FINDINGS,
  ...VERSION_FINDINGS,
  ...CLUSTER_FINDINGS,
} as const;

const CATALOGUE = {
  ...PREFLIGHT,
  ...BLOCKED,
  ...BREACHES,
  ...RUNS,
  ...HOLDS,
  ...CONFIGURATION,
} as const;

/** Every existing code. A code is never reused for another meaning, even after its finding is removed. */
export type FindingCode = keyof typeof CATALOGUE;

/** `CCM1xxx` preflight, `CCM2xxx` blocked, `CCM3xxx` gates, `CCM4xxx` runs and commands, `CCM5xxx` configuration. */
export const FINDING_CODES: readonly FindingCode[] = Object.keys(CATALOGUE)
  .filter(isFindingCode)
  .sort();

export function isFindingCode(code: string): code is FindingCode {
  return Object.hasOwn(CATALOGUE, code);
}

export function entryOf(code: FindingCode): CatalogueEntry {
  return CATALOGUE[code];
}

/** What differs from cluster to cluster. */
export interface Seen {
  readonly subject: string;
  readonly seen: string;
  /** Only where the measured case is milder or more severe than the usual one. */
  readonly severity?: Severity;
}

/** A finding of the catalogue, for one subject. */
export function makeFinding(code: FindingCode, { subject, seen, severity }: Seen): Finding {
  const entry = entryOf(code);
  return {
    code,
    severity: severity ?? entry.severity,
    subject: oneLine(subject),
    seen: oneLine(seen),
    why: entry.why,
    fix: entry.fix,
    source: entry.source,
  };
}

/** The page of one code as plain text, for `explain CODE`. */
export function explain(code: FindingCode): string {
  const { title, severity, why, fix, source } = entryOf(code);
  return [
    `${code}: ${title}`,
    `severity  ${severity}`,
    '',
    `Why it matters\n  ${why}`,
    `What to do\n  ${fix}`,
    `Based on\n  ${source}`,
    '',
  ].join('\n');
}
