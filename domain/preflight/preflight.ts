import type { Finding, Severity } from '../findings/finding.js';
import { isBlocking } from '../findings/finding.js';
import type { ClusterObservation } from '../observation/observation.js';
import type { MigrationPolicy, Waiver } from '../policy.js';
import { AGREEMENT_CHECKS } from './agreement.js';
import type { Check, PreflightExtra } from './preflight-check.js';
import { placedConfigs } from './preflight-check.js';
import { ACCESS_CHECKS, CLUSTER_CHECKS } from './cluster-checks.js';
import { LOCK_CHECKS } from './locks.js';
import { NODE_CHECKS } from './node-checks.js';
import { VERSION_CHECKS } from './version-checks.js';

/** Every check in its display group, in the order of the codes they raise. */
const SECTIONS: readonly PreflightSection[] = [
  { title: 'Leader election and Leader Migration', checks: LOCK_CHECKS, from: 'hosts' },
  { title: 'Versions and providers', checks: VERSION_CHECKS, from: 'hosts' },
  { title: 'Nodes', checks: NODE_CHECKS, from: 'api' },
  { title: 'Settings that must agree', checks: AGREEMENT_CHECKS, from: 'hosts' },
  { title: 'Access and workloads', checks: ACCESS_CHECKS, from: 'api' },
  { title: 'Cluster', checks: CLUSTER_CHECKS, from: 'hosts' },
];

interface PreflightSection {
  readonly title: string;
  readonly checks: readonly Check[];
  /** The main source of what these checks judge: without node access, the state of hosts is inferred. */
  readonly from: 'hosts' | 'api';
}

export const PREFLIGHT_CHECKS: readonly Check[] = SECTIONS.flatMap(({ checks }) => checks);

/** The result of one check. Only `passed` means healthy: finding nothing in what was not inspected proves nothing. */
export interface CheckResult {
  readonly section: string;
  readonly name: string;
  readonly codes: readonly string[];
  readonly result: 'passed' | 'presumed' | 'found' | 'notChecked';
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, info: 2 };

/** One observation, reported twice: the findings, and the result of each check. */
export interface PreflightReport {
  readonly findings: readonly Finding[];
  /** In the order of their sections, those that found nothing too. */
  readonly checks: readonly CheckResult[];
}

/**
 * What blocks a migration, or is worth knowing before it: sorted by severity, then by code. Read only and pure; `extra`
 * carries what the observation does not (see `PreflightExtra`).
 */
export function preflight(
  observation: ClusterObservation,
  policy: MigrationPolicy,
  extra: PreflightExtra = {},
): readonly Finding[] {
  return preflightReport(observation, policy, extra).findings;
}

/** The same with the result of each check. */
export function preflightReport(
  observation: ClusterObservation,
  policy: MigrationPolicy,
  extra: PreflightExtra,
): PreflightReport {
  const input = { observation, policy, extra, managers: placedConfigs(observation) };
  const isPreview = (extra.notChecked ?? []).length > 0;
  const looked = SECTIONS.flatMap(({ title, checks, from }) =>
    checks.map(({ name, codes, inspect, isSeen }) => {
      const found = inspect(input);
      const result = resultOf(
        found.length > 0,
        isSeen?.(input) ?? true,
        isPreview && from === 'hosts',
      );
      return { found, check: { section: title, name, codes, result } };
    }),
  );
  const findings = looked
    .flatMap(({ found }) => found)
    .toSorted((a, b) => RANK[a.severity] - RANK[b.severity] || a.code.localeCompare(b.code));
  return { findings, checks: looked.map(({ check }) => check) };
}

function resultOf(isFound: boolean, isSeen: boolean, isPresumed: boolean): CheckResult['result'] {
  if (isFound) return 'found';
  if (!isSeen) return 'notChecked';
  return isPresumed ? 'presumed' : 'passed';
}

/**
 * What a run itself repairs before or during the migration: such findings are existing errors of the cluster, and holding the
 * run for them would preserve them.
 */
const CURED_BY_A_RUN: ReadonlySet<string> = new Set([
  'CCM1005',
  'CCM1006',
  'CCM1007',
  'CCM1008',
  'CCM1012',
  'CCM1014',
  'CCM1505',
]);

/**
 * What the step rules and the gates judge at each step anyway, and whose hold ends by itself: unreachable nodes and etcd,
 * managers that are paused or crash, unknown holders, access that is not there yet.
 */
const JUDGED_AT_EACH_STEP: ReadonlySet<string> = new Set([
  'CCM1201',
  'CCM1207',
  'CCM1503',
  'CCM1506',
  'CCM1507',
  'CCM2019',
]);

/** Whether this finding forbids a run to start. */
export function blocksRun(finding: Finding): boolean {
  return isBlocking(finding) && !CURED_BY_A_RUN.has(finding.code);
}

/**
 * Findings that forbid a start, except those waived for exactly this state of the cluster: `state` is the decisive digest of
 * the observation they were found in.
 */
export function forbidsStart(
  findings: readonly Finding[],
  waivers: readonly Waiver[],
  state: string,
): readonly Finding[] {
  return findings.filter(
    (finding) =>
      blocksRun(finding) &&
      !waivers.some(
        ({ code, observationDigest }) => code === finding.code && observationDigest === state,
      ),
  );
}

/**
 * Findings that forbid a run reversed midway to start the other direction. Fewer than forbid a start: a rollback must not
 * wait for a person because a node is briefly unreachable.
 */
export function forbidsTurn(
  findings: readonly Finding[],
  waivers: readonly Waiver[],
  state: string,
): readonly Finding[] {
  return forbidsStart(findings, waivers, state).filter(
    ({ code }) => !JUDGED_AT_EACH_STEP.has(code),
  );
}
