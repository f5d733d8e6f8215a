import type { MigrationPlan } from '../../config/outputs/plan.js';
import { comesAfterProof, wantsApproval } from '../../domain/decision/stops.js';
import { shownDuration } from '../terminal/duration.js';
import type { Theme } from '../terminal/theme.js';
import { sameCluster, typedCommand } from '../terminal/typed-command.js';
import type { OptionReader } from '../option-reader.js';
import { previewLines } from './check-text.js';
import { findingLines } from './finding-lines.js';
import { totalLines } from './plan-totals.js';
import { createStepLines } from './step-lines.js';

/**
 * A plan for people: steps with their reasons, exact changes and stops, then how it ends and its totals. A change that
 * several nodes share is shown once, and whole new files only, unless `full`.
 */
export function planText(plan: MigrationPlan, theme: Theme, full: boolean): string {
  return [
    ...headLines(plan, theme),
    ...stepsWithStops(plan, theme, full),
    '',
    endingLine(plan, theme),
    ...[...plan.ending.findings, ...plan.findings].flatMap((finding) =>
      full || finding.severity !== 'info' ? findingLines(finding, theme) : [],
    ),
    ...totalLines(plan),
    '',
  ].join('\n');
}

/** The same in a few lines, for a question about it. */
export function planSummary(plan: MigrationPlan, theme: Theme): string {
  return [...headLines(plan, theme), endingLine(plan, theme), ...totalLines(plan), ''].join('\n');
}

function headLines(plan: MigrationPlan, theme: Theme): readonly string[] {
  const { cluster, target, fleet, digest } = plan;
  return [
    `${theme.paint('strong', `${cluster.name} · Target: ${target.toUpperCase()}`)} · fleet ${fleet} · plan ${shortDigest(digest)}`,
    ...previewLines(plan.notLookedAt, theme),
  ];
}

function stepsWithStops(plan: MigrationPlan, theme: Theme, full: boolean): readonly string[] {
  const { steps, policy, target } = plan;
  const linesOf = createStepLines(theme, full);
  const [approval, proof] = [
    steps.find((step) => wantsApproval(planned(step), policy, target)),
    steps.find((step) => comesAfterProof(planned(step), target)),
  ];
  const stop = (text: string): string => `     ${theme.mark('held')} ${text}`;
  const soak =
    policy.soakSeconds === 0 ? '' : `, then a soak of ${shownDuration(policy.soakSeconds * 1000)}`;
  const proves = stop(`verify: load balancers, Nodes and providerIDs are what they were${soak}`);
  const lines = steps.flatMap((step) => [
    ...(step === approval ? [stop('waits for an approval: ccm-migrate approve')] : []),
    ...(step === proof ? [proves] : []),
    ...linesOf(step),
  ]);
  if (steps.length === 0) return [];
  return [
    ...lines,
    ...(proof === undefined && plan.ending.kind === 'done' ? [proves] : []),
    theme.paint('quiet', ORDER),
  ];
}

const ORDER =
  'The order of nodes follows who leads when the run gets there: the leader comes last. Waits for an election come on top.';

type PlannedStep = Parameters<typeof wantsApproval>[0];

function planned({ name, phase }: MigrationPlan['steps'][number]): PlannedStep {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- names that the rules themselves gave; an unknown one stops nothing
  return { name, phase } as PlannedStep;
}

function endingLine({ ending, target, steps }: MigrationPlan, theme: Theme): string {
  switch (ending.kind) {
    case 'done':
      return steps.length === 0
        ? `${theme.mark('ok')} no changes: the ${target.toUpperCase()} runs the cloud controllers already`
        : `${theme.mark('ok')} ends with the ${target.toUpperCase()} running the cloud controllers`;
    case 'blocked':
      return `${theme.mark('failed')} blocked: no safe step leads further`;
    case 'step':
      return `${theme.mark('failed')} has no end within sight: report this`;
  }
}

/** What to type after looking at a plan. */
export function nextLine(
  plan: MigrationPlan,
  savedAs: string | null,
  options: OptionReader,
): string {
  return `Nothing was changed.\nNext: ${typedCommand(nextWords(plan, savedAs, options))}`;
}

function nextWords(
  { steps, target, notLookedAt, ending }: MigrationPlan,
  savedAs: string | null,
  options: OptionReader,
): readonly string[] {
  const same = sameCluster(options);
  if (steps.length === 0 || notLookedAt.length > 0 || ending.kind !== 'done')
    return ['check', ...same];
  return savedAs === null
    ? ['plan', ...same, '--target', target, '--out', 'plan.json']
    : ['apply', savedAs, '--reason', '…', '--watch'];
}

export function shortDigest(digest: string): string {
  return `${digest.slice(0, 'sha256:'.length + 12)}…`;
}
