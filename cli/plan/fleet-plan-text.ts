import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import type { OptionReader } from '../cli.js';
import { tableLines, type TableColumn } from '../terminal/aligned-table.js';
import type { Theme } from '../terminal/theme.js';
import { counted, shownCount, shownDuration, someNames } from '../terminal/wording.js';
import { sameCluster, typedCommand } from '../typed-command.js';
import { ASSUMED } from './fleet-forecast.js';
import { shortDigest, stepsWithStops } from './plan-text.js';

/** A fleet's plan for people: waves, limits, each shape with its exact changes once, who is left out, and totals. */
export function fleetPlanText(
  plan: FleetPlanDocument,
  theme: Theme,
  { full, width }: { readonly full: boolean; readonly width: number },
): string {
  return [
    ...headLines(plan, theme, width),
    ...plan.shapes.flatMap((shape, index) => shapeLines(plan, shape, index, { theme, full })),
    ...findingLines(plan, theme, full),
    ...endLines(plan, theme),
    '',
  ].join('\n');
}

/** The same without the changes, for a question about it. */
export function fleetPlanSummary(plan: FleetPlanDocument, theme: Theme, width: number): string {
  return [...headLines(plan, theme, width), ...endLines(plan, theme), ''].join('\n');
}

function headLines(plan: FleetPlanDocument, theme: Theme, width: number): readonly string[] {
  const { fleet, clusters, shapes, waves, digest } = plan;
  const parts = [
    `${counted(clusters.length, 'cluster')} in ${counted(shapes.length, 'shape')}`,
    counted(waves.length, 'wave'),
    'Target: CCM',
    `plan ${shortDigest(digest)}`,
  ];
  return [
    `${theme.paint('strong', `Fleet ${fleet}`)} · ${parts.join(' · ')}`,
    ...tableLines(waveColumns(plan), { width, always: 2 }),
    `Limits:  ${limitsText(plan)}`,
    ...budgetLines(plan, theme),
    ...plan.notes.map((note) => `${theme.mark('warning')} ${note}`),
  ];
}

function waveColumns({ waves, clusters, forecast }: FleetPlanDocument): readonly TableColumn[] {
  const members = waves.map((_, index) => clusters.filter(({ wave }) => wave === index));
  return [
    { title: 'WAVE', cells: waves.map(({ plan }) => plan.name) },
    { title: 'CLUSTERS', cells: members.map(({ length }) => shownCount(length)) },
    {
      title: 'CANARIES',
      cells: waves.map(({ plan: { rehearseRollback } }, index) => {
        const canaries = members[index]?.filter(({ canary }) => canary).length ?? 0;
        return `${dash(canaries)}${rehearseRollback && canaries > 0 ? ', rehearsed' : ''}`;
      }),
    },
    {
      title: 'SOAK',
      cells: waves.map(({ policy }) =>
        policy.soakSeconds === 0 ? '-' : shownDuration(policy.soakSeconds * 1000),
      ),
    },
    { title: 'APPROVALS', cells: waves.map(approvalsText) },
    { title: 'ENDS AFTER', cells: forecast.waves.map(rangeText) },
    { title: 'WINDOWS', cells: waves.map(windowsText) },
  ];
}

function dash(count: number): string {
  return count === 0 ? '-' : String(count);
}

type PlannedWave = FleetPlanDocument['waves'][number];

function approvalsText({ plan: { approvals, approvers } }: PlannedWave): string {
  const of = approvers === null ? '' : ` of ${approvers.length}`;
  const parts = (['before', 'after'] as const).flatMap((when) =>
    approvals[when] === 0 ? [] : [`${approvals[when]}${of} ${when}`],
  );
  return parts.length === 0 ? '-' : parts.join(', ');
}

function windowsText({ windows, excludedDates }: PlannedWave): string {
  const open = windows.map(({ days, from, to, timeZone }) => {
    const week = days.length === 7 ? '' : `${days.join(' ')} `;
    return `${week}${from}–${to} ${timeZone}`;
  });
  const closed = excludedDates.length === 0 ? [] : [`not on ${someNames(excludedDates, 3)}`];
  return [...open, ...closed].join('; ') || 'any time';
}

/** The times of half and of nine of ten drawn runs. */
function rangeText({ p50Ms, p90Ms }: { readonly p50Ms: number; readonly p90Ms: number }): string {
  const [half, most] = [shownDuration(p50Ms), shownDuration(p90Ms)];
  return half === most ? half : `${half} – ${most}`;
}

function limitsText({ rollout }: FleetPlanDocument): string {
  const { inFlight, unproven, caps, budget, slowStart, onFailure } = rollout;
  return [
    `${inFlight} in flight`,
    `${unproven} unproven`,
    ...Object.entries(caps).map(([label, cap]) => `${cap} for each ${label}`),
    `failure budget ${budget.clusters} (${budget.counts})`,
    `slow start ${slowStart}`,
    onFailure === 'rollBack'
      ? 'a cluster that fails is rolled back'
      : 'a cluster that fails is held',
  ].join(' · ');
}

/** Below this the price of the budget is within the spread of the forecast. */
const COSTS_FROM = 1.05;

function budgetLines({ forecast, rollout }: FleetPlanDocument, theme: Theme): readonly string[] {
  const { budgetCost } = forecast;
  const { budget, inFlight } = rollout;
  const failing = `${ASSUMED.failShare * 100} % failures`;
  const what = `budget ${budget.clusters} with ${inFlight} in flight`;
  if (budgetCost === null)
    return [`${theme.mark('warning')} ${what}: at ${failing} it stops the fleet`];
  return budgetCost < COSTS_FROM
    ? []
    : [`${theme.mark('warning')} ${what}: at ${failing} ${budgetCost.toFixed(1)} × longer`];
}

function shapeLines(
  { waves, clusters }: FleetPlanDocument,
  { example, clusters: names, steps }: FleetPlanDocument['shapes'][number],
  index: number,
  { theme, full }: { readonly theme: Theme; readonly full: boolean },
): readonly string[] {
  const wave = waves[clusters.find(({ name }) => name === example)?.wave ?? 0];
  const title = `Shape ${index + 1} · ${counted(names.length, 'cluster')}: ${someNames(names)}`;
  if (wave === undefined) return [];
  const ending = { kind: 'done', findings: [] } as const;
  const shown = {
    steps,
    policy: wave.policy,
    target: 'ccm' as const,
    ending: { ...ending, findings: [] },
  };
  return [
    '',
    `${theme.paint('strong', title)} · ${counted(steps.length, 'step')}, shown for ${example}`,
    ...stepsWithStops(shown, theme, full),
  ];
}

function findingLines(
  { findings }: FleetPlanDocument,
  theme: Theme,
  full: boolean,
): readonly string[] {
  const shown = findings.filter(({ finding }) => full || finding.severity !== 'info');
  if (shown.length === 0) return [];
  return [
    '',
    ...shown.map(
      ({ finding: { code, subject, seen, severity }, clusters }) =>
        `${theme.mark(severity === 'info' ? 'waiting' : 'warning')} ${code} ${subject}: ${seen} · ${someNames(clusters)}`,
    ),
  ];
}

function endLines(plan: FleetPlanDocument, theme: Theme): readonly string[] {
  const { totals, forecast } = plan;
  const deleted = totals.machinesDeleted;
  const machines = `${counted(deleted, 'control-plane machine')} ${deleted === 1 ? 'is' : 'are'} DELETED, ${totals.machinesCreated} created`;
  const { failShare, slowShare, slowFactor, personMs } = ASSUMED;
  const assumed = `${failShare * 100} % fail and are judged after ${shownDuration(personMs)}, ${slowShare * 100} % take ${slowFactor} times as long; approvals come on top`;
  return [
    '',
    ...skippedLines(plan, theme),
    `Plan:  ${shownCount(totals.clusters)} clusters · ${shownCount(totals.steps)} steps`,
    ...(deleted + totals.machinesCreated === 0
      ? []
      : [theme.paint('bad', `       ${theme.mark('warning')} ${machines}`)]),
    ...(totals.clusters === 0 ? [] : [`Time:  ${rangeText(forecast)}, if ${assumed}`]),
    ...unfinishedLines(plan, theme),
  ];
}

function unfinishedLines({ forecast }: FleetPlanDocument, theme: Theme): readonly string[] {
  return forecast.unfinished === 0
    ? []
    : [
        `${theme.mark('warning')} in one of the drawn runs ${counted(forecast.unfinished, 'cluster')} did not end: limits, windows or deadline do not let them`,
      ];
}

/** One line for each reason. */
function skippedLines({ skipped }: FleetPlanDocument, theme: Theme): readonly string[] {
  const groups = new Map<string, FleetPlanDocument['skipped']>();
  for (const each of skipped) {
    const key = `${each.kind} ${each.code}`;
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const names = someNames(group.map(({ name }) => name));
    if (first.kind === 'nothingToDo') {
      return [`${theme.mark('ok')} nothing to do ${group.length}: ${names}`];
    }
    return [
      `${theme.mark('failed')} left out ${group.length}: ${names} · ${first.code} ${first.seen}`,
      `    fix   ${first.fix}`,
    ];
  });
}

/** The command to type after reading the plan of a fleet. */
export function fleetNextLine(
  plan: FleetPlanDocument,
  savedAs: string | null,
  options: OptionReader,
): string {
  const words = nextWords(plan, savedAs, options);
  return `Nothing was changed.\nNext: ${typedCommand(words)}`;
}

function nextWords(
  { clusters, skipped }: FleetPlanDocument,
  savedAs: string | null,
  options: OptionReader,
): readonly string[] {
  const same = sameCluster(options);
  const [first] = skipped.filter(({ kind }) => kind !== 'nothingToDo');
  if (clusters.length === 0) {
    return first === undefined
      ? ['lint', ...options.texts('file')]
      : ['check', ...same, '--cluster', first.name];
  }
  return savedAs === null
    ? ['plan', ...same, '--out', 'plan.json']
    : ['apply', savedAs, '--reason', '…', '--watch'];
}
