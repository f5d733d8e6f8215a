import type { ClusterStatus } from '../../workflows/messages.js';
import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';
import { headline } from './headline.js';
import type { PhaseGroup, StepLine } from './step-groups.js';
import { phaseGroups, seconds } from './step-groups.js';

/** What is drawn: a run, the status last known of it, and what else stands in the header. */
export interface TreeInput {
  readonly view: RunView;
  /** Also after the run has ended: its steps stay visible. */
  readonly status: ClusterStatus | null;
  readonly nowMs: number;
  readonly extra: readonly (readonly [string, string])[];
}

/** Header and tree of one run, a line each; nothing is cut off, colours only by the theme. */
export function runTree(input: TreeInput, theme: Theme): readonly string[] {
  const { status } = input;
  const lines = [...header(input, theme), ''];
  if (status === null) return lines;
  lines.push(theme.paint('strong', status.cluster.name));
  const groups = phaseGroups(status);
  groups.forEach((group, index) => {
    lines.push(...groupLines(group, index === groups.length - 1, theme));
  });
  return [...lines, ...findingLines(status, theme)];
}

function header({ view, status, nowMs, extra }: TreeInput, theme: Theme): readonly string[] {
  const elapsed = seconds((view.closedAtMs ?? nowMs) - view.startedAtMs);
  const by = view.actor === '' ? '' : ` by ${view.actor}`;
  const why = view.reason === '' ? '' : ` (${view.reason})`;
  const rows: (readonly [string, string])[] = [
    ['Run', `${view.workflowId}  ${headline(view, theme)} · ${elapsed}${by}${why}`],
    ...(status === null ? [] : statusRows(status)),
    ...extra,
    ...(view.outcome === null ? [] : ([['Outcome', view.outcome.summary]] as const)),
  ];
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return rows.map(([name, text]) => `${`${name}:`.padEnd(width)} ${text}`);
}

function statusRows(status: ClusterStatus): readonly (readonly [string, string])[] {
  const waits = status.trouble === 'none' ? '' : ` · waits: ${status.trouble}`;
  const next = status.nextCommand === '' ? [] : ([['Next', status.nextCommand]] as const);
  return [
    ['Toward', `${status.target}  phase ${status.phase} · epoch ${status.epoch}${waits}`],
    ['Owner', `${status.owner} · no owner so far ${seconds(status.orphanMs)}`],
    ['Way back', status.reversibility],
    ...next,
  ];
}

function groupLines(group: PhaseGroup, isLast: boolean, theme: Theme): readonly string[] {
  const { item, last, pass, gap } = theme.branch;
  const mark = theme.mark(group.running ? 'running' : 'ok');
  const title = `${isLast ? last : item}${mark} ${theme.paint('strong', group.phase)}`;
  return [
    title,
    ...group.steps.map((step, index) => {
      const end = index === group.steps.length - 1;
      return `${isLast ? gap : pass}${end ? last : item}${stepLine(step, theme)}`;
    }),
  ];
}

function stepLine({ name, node, durationMs, info }: StepLine, theme: Theme): string {
  const mark = theme.mark(durationMs === null ? 'running' : 'ok');
  const subject = node === '' ? name : `${name} ${node}`;
  const time = durationMs === null ? 'running' : seconds(durationMs);
  return `${mark} ${subject.padEnd(32)} ${time.padStart(8)}  ${theme.paint('quiet', info)}`.trimEnd();
}

function findingLines(status: ClusterStatus, theme: Theme): readonly string[] {
  return status.findings.flatMap((finding) => [
    '',
    `${theme.mark('warning')} ${finding.code} ${finding.subject}: ${finding.seen}`,
    `  why   ${finding.why}`,
    `  fix   ${finding.fix}`,
  ]);
}
