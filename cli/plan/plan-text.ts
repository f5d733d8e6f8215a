import type { MigrationPlan } from '../../config/outputs/plan.js';
import type { Theme } from '../terminal/theme.js';

/** A plan for people: steps with their reasons and exact changes, then how it ends. Whole new files only when `full`. */
export function planText(plan: MigrationPlan, theme: Theme, full: boolean): string {
  return [
    theme.paint('strong', `${plan.cluster.name} toward ${plan.target}`) +
      ` · fleet ${plan.fleet} · ${String(plan.steps.length)} steps · plan ${shortDigest(plan.digest)}`,
    ...plan.steps.flatMap((step) => stepLines(step, theme, full)),
    '',
    endingLine(plan, theme),
    ...plan.ending.findings.flatMap((finding) => findingLines(finding, theme)),
    ...plan.findings.flatMap((finding) => findingLines(finding, theme)),
    '',
  ].join('\n');
}

function stepLines(
  step: MigrationPlan['steps'][number],
  theme: Theme,
  full: boolean,
): readonly string[] {
  const subject = step.node === '' ? step.name : `${step.name} ${step.node}`;
  return [
    `${String(step.number).padStart(3)}. ${theme.paint('strong', subject)}  ${theme.paint('quiet', step.phase)}`,
    `     ${step.why}`,
    ...step.changes.flatMap((change) => changeLines(change, theme, full)),
  ];
}

type Change = MigrationPlan['steps'][number]['changes'][number];

const SIGNS = { create: '+', update: '~', delete: '-' } as const;

function changeLines(change: Change, theme: Theme, full: boolean): readonly string[] {
  const { subject, action, diff } = change;
  const lines = diff.split('\n').filter((line) => /^[+-]/.test(line)).length;
  const brief = action !== 'update' && !full && lines > 0;
  return brief
    ? [`     ${SIGNS[action]} ${subject} (${String(lines)} lines; --full shows them)`]
    : [`     ${SIGNS[action]} ${subject}`, ...diffLines(diff, theme)];
}

function diffLines(diff: string, theme: Theme): readonly string[] {
  return diff
    .split('\n')
    .filter((line) => line !== '' && !/^(---|\+\+\+|Index:|={3,})/.test(line))
    .map((line) => `         ${theme.paint(toneOf(line), line)}`);
}

function toneOf(line: string): 'added' | 'removed' | 'plain' {
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'plain';
}

function endingLine({ ending, target }: MigrationPlan, theme: Theme): string {
  switch (ending.kind) {
    case 'done':
      return `${theme.mark('ok')} ends with the ${target.toUpperCase()} owning the cloud controllers`;
    case 'blocked':
      return `${theme.mark('failed')} blocked: no safe step leads further`;
    case 'step':
      return `${theme.mark('failed')} has no end within sight: report this`;
  }
}

/** A finding as every verb shows it. */
export function findingLines(
  finding: MigrationPlan['findings'][number],
  theme: Theme,
): readonly string[] {
  const marks = { error: 'failed', warning: 'warning', info: 'waiting' } as const;
  return [
    `${theme.mark(marks[finding.severity])} ${theme.paint('strong', finding.code)} ${finding.subject}: ${finding.seen}`,
    `    why   ${finding.why}`,
    `    fix   ${finding.fix}`,
  ];
}

/** What to type after looking at a plan. */
export function nextLine({ steps }: MigrationPlan, savedAs: string | null): string {
  if (steps.length === 0) return 'Nothing was changed, and there is nothing to do.';
  return savedAs === null
    ? 'Nothing was changed. Save it with --out plan.json to apply exactly this.'
    : `Nothing was changed. Next: ccm-migrate apply ${savedAs} --reason "…" --watch`;
}

export function shortDigest(digest: string): string {
  return `${digest.slice(0, 'sha256:'.length + 12)}…`;
}
