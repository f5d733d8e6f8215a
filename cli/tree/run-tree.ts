import type { ClusterStatus } from '../../workflows/messages.js';
import { shownDuration } from '../terminal/duration.js';
import { stepTitle } from '../terminal/step-title.js';
import type { Theme } from '../terminal/theme.js';
import { header, type HeaderInput } from './header.js';
import type { PhaseGroup, StepLine } from './step-groups.js';
import { phaseGroups } from './step-groups.js';

/** Header and tree of one run, a line each; nothing is cut off, colours only by the theme. */
export function runTree(input: HeaderInput, theme: Theme): readonly string[] {
  const { status } = input;
  const lines = [...header(input, theme)];
  if (status === null) return lines;
  const groups = phaseGroups(status, input.detailed === true);
  if (groups.length > 0) lines.push('');
  groups.forEach((group, index) => {
    lines.push(...groupLines(group, index === groups.length - 1, { theme, nowMs: input.nowMs }));
  });
  return [...lines, ...findingLines(status, theme)];
}

interface Drawing {
  readonly theme: Theme;
  readonly nowMs: number;
}

const MARKS = { running: 'running', held: 'held', done: 'ok' } as const;

function groupLines(group: PhaseGroup, isLast: boolean, drawing: Drawing): readonly string[] {
  const { theme } = drawing;
  const { item, last, pass, gap } = theme.branch;
  const mark = theme.mark(MARKS[group.state]);
  const title = `${isLast ? last : item}${mark} ${theme.paint('strong', group.phase)}`;
  return [
    title,
    ...group.steps.map((step, index) => {
      const end = index === group.steps.length - 1;
      return `${isLast ? gap : pass}${end ? last : item}${stepLine(step, drawing)}`;
    }),
  ];
}

function stepLine(
  { name, node, durationMs, sinceMs, info }: StepLine,
  { theme, nowMs }: Drawing,
): string {
  const mark = theme.mark(durationMs === null ? 'running' : 'ok');
  const subject = stepTitle({ name, node });
  const going = sinceMs === null ? 'running' : shownDuration(nowMs - sinceMs);
  const time = durationMs === null ? going : shownDuration(durationMs);
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
