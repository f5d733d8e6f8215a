import type { Finding, Severity } from '../../domain/findings/finding.js';
import type { ClusterObservation } from '../../domain/observation/observation.js';
import { clusterOwner } from '../../domain/ownership/owners.js';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { CheckResult } from '../../domain/preflight/preflight.js';
import type { Manager, Owner } from '../../domain/vocabulary.js';
import type { Theme } from '../terminal/theme.js';
import { WHO_RUNS, counted } from '../terminal/wording.js';

export interface Checked {
  /** Identifies the cluster, in lines. */
  readonly cluster: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly findings: readonly Finding[];
  readonly notChecked: readonly string[];
  readonly next: string;
}

/** A check for people: what was checked, one line for each check with its findings below, and the next command. */
export function checkText(checked: Checked, theme: Theme): string {
  const { cluster, checks, findings, notChecked, next } = checked;
  const sections = [...new Set(checks.map(({ section }) => section))];
  const told = new Set<string>();
  return [
    ...cluster,
    ...previewLines(notChecked, theme),
    ...sections.flatMap((section) => [
      '',
      theme.paint('strong', section),
      ...checks
        .filter((check) => check.section === section)
        .flatMap((check) => checkLines(check, { findings, told, theme })),
    ]),
    '',
    totalLine(checked, theme),
    `Next: ${next}`,
    '',
  ].join('\n');
}

/** Makes plain that the hosts were not inspected. */
export function previewLines(notChecked: readonly string[], theme: Theme): readonly string[] {
  if (notChecked.length === 0) return [];
  return [
    `${theme.mark('warning')} PREVIEW without node access: what runs is presumed from Pods. Not checked:`,
    ...notChecked.map((part) => `    ${part}`),
  ];
}

const MARKS = {
  passed: ['ok', ''],
  presumed: ['waiting', ' (presumed)'],
  notChecked: ['waiting', ' (not checked)'],
} as const;

function checkLines(
  { name, codes, result }: CheckResult,
  {
    findings,
    told,
    theme,
  }: {
    readonly findings: readonly Finding[];
    readonly told: Set<string>;
    readonly theme: Theme;
  },
): readonly string[] {
  if (result !== 'found') {
    const [mark, note] = MARKS[result];
    return [`  ${theme.mark(mark)} ${name}${theme.paint('quiet', note)}`];
  }
  return findings
    .filter(({ code }) => codes.includes(code))
    .flatMap((finding) => {
      // Repeating the same advice for each of ten nodes hides the differences.
      const lines = told.has(finding.code)
        ? [headOf(finding, theme)]
        : findingLines(finding, theme);
      told.add(finding.code);
      return lines.map((line) => `  ${line}`);
    });
}

function totalLine({ checks, findings, notChecked }: Checked, theme: Theme): string {
  const count = (severity: Severity): number =>
    findings.filter((finding) => finding.severity === severity).length;
  const passed = checks.filter(({ result }) => result === 'passed').length;
  const [errors, warnings] = [count('error'), count('warning')];
  const worst = errors > 0 ? 'failed' : warnings + notChecked.length > 0 ? 'warning' : 'ok';
  const total = `${String(passed)} of ${counted(checks.length, 'check')} passed`;
  const parts = [
    counted(errors, 'error'),
    counted(warnings, 'warning'),
    counted(count('info'), 'note'),
  ];
  return `${theme.mark(worst)} ${total} · ${parts.join(', ')}`;
}

/** Identifies the observed cluster: its versions, its nodes, and the leader of the cloud controllers. */
export function clusterLines(
  observation: ClusterObservation,
  policy: MigrationPolicy,
): readonly string[] {
  const { cluster, apiServers, nodes, inventory } = observation;
  const kcms = [
    ...new Set(nodes.flatMap(({ kcm }) => kcm.processes.map(({ config }) => config.version))),
  ].join(', ');
  const servers = apiServers.versions.join(', ');
  const named = nodes.map(({ name }) => name).join(', ');
  const owner = clusterOwner(observation, policy.lock.controllers);
  const where = owner === 'kcm' || owner === 'ccm' ? holdersOf(owner, observation) : '';
  return [
    `Cluster:   ${cluster.name} (${cluster.uid})`,
    `Versions:  API server ${servers === '' ? 'unknown' : servers} · KCM ${kcms === '' ? 'unknown' : kcms} → ${policy.target.version} · CCM ${policy.ccm.version}`,
    `Nodes:     ${counted(nodes.length, 'control-plane node')} (${named}) · ${counted(inventory.workers.total, 'worker')}`,
    `Leader:    ${LEADERS[owner]}${where}`,
  ];
}

/** Where the processes run that hold a Lease by name, as far as known. */
function holdersOf(manager: Manager, { nodes }: ClusterObservation): string {
  const names = nodes.flatMap((node) =>
    node[manager].processes.some(({ identity }) => identity !== null) ? [node.name] : [],
  );
  return names.length === 0 ? '' : ` (${names.join(', ')})`;
}

const LEADERS: Readonly<Record<Owner, string>> = { ...WHO_RUNS, unknown: 'unknown' };

/** The mark of each severity, as every verb shows findings. */
export const SEVERITY_MARKS = { error: 'failed', warning: 'warning', info: 'waiting' } as const;

/** What was seen, in one line. */
function headOf({ severity, code, subject, seen }: Finding, theme: Theme): string {
  return `${theme.mark(SEVERITY_MARKS[severity])} ${theme.paint('strong', code)} ${subject}: ${seen}`;
}

/** A finding as every verb shows it. */
export function findingLines(finding: Finding, theme: Theme): readonly string[] {
  return [headOf(finding, theme), `    why   ${finding.why}`, `    fix   ${finding.fix}`];
}
