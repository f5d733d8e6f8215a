import { flatTexts } from '../terminal/flat-texts.js';
import { entryOf } from '../../domain/findings/catalogue.js';
import { noteLines } from '../../domain/gates/quiet-notes.js';
import type { ClusterStatus } from '../../workflows/messages.js';
import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';
import { shownDuration, stepTitle } from '../terminal/wording.js';
import { type HeaderInput, header, stateMark, stateText } from './header.js';
import { typable } from './typable.js';

/** Header and tree of one run, one line each; nothing is truncated, colours come only from the theme. */
export function runTree(given: HeaderInput, theme: Theme): readonly string[] {
  const input = flatTexts(given);
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

/** Why a run does not answer and what to do, one line each; none when it does or has ended. */
export function silenceLines(
  { silence }: Pick<RunView, 'silence'>,
  theme: Theme,
): readonly string[] {
  if (silence === null) return [];
  const { code, detail } = flatTexts(silence);
  const { title, fix } = entryOf(code);
  const seen = detail === '' ? '' : `: ${detail}`;
  return [`${theme.mark('warning')} ${code} ${title}${seen}`, `  fix   ${fix}`];
}

type StepRecord = ClusterStatus['stepsDone'][number];

/** One line of the tree: a completed step, or the one in flight. Durations in ms, null while it runs. */
interface StepLine {
  readonly name: string;
  readonly node: string;
  readonly durationMs: number | null;
  /** When the step in flight began, epoch ms; null for the others, and where the run does not report it. */
  readonly sinceMs: number | null;
  readonly info: string;
}

interface PhaseGroup {
  readonly phase: string;
  readonly steps: readonly StepLine[];
  /** `held`: the phase is not over, but none of its steps is running. */
  readonly state: 'running' | 'held' | 'done';
}

/**
 * `detailed`: with the proof of each step. Steps in the order they were taken, consecutive ones of one phase grouped;
 * the step in flight comes last.
 */
function phaseGroups(status: ClusterStatus, detailed: boolean): readonly PhaseGroup[] {
  const groups: { phase: string; steps: StepLine[]; state: PhaseGroup['state'] }[] = [];
  const add = (phase: string, line: StepLine): void => {
    const last = groups.at(-1);
    if (last?.phase === phase) last.steps.push(line);
    else groups.push({ phase, steps: [line], state: 'done' });
  };
  for (const step of status.stepsDone) add(step.phase, doneLine(step, detailed));
  if (status.step !== null) {
    const { name, node, why } = status.step;
    add(status.phase, { name, node, durationMs: null, sinceMs: status.sinceMs, info: why });
  }
  const last = groups.at(-1);
  if (last !== undefined) last.state = stateOfLast(status, last.phase);
  return groups;
}

/** A phase with a step still to come is not done, whatever the run waits for. */
function stateOfLast(
  { step, nextStep, outcome }: ClusterStatus,
  phase: string,
): PhaseGroup['state'] {
  if (step !== null) return 'running';
  return outcome === null && nextStep?.phase === phase ? 'held' : 'done';
}

function doneLine(
  { name, node, detail, durationMs, orphanMs }: StepRecord,
  detailed: boolean,
): StepLine {
  const info = [detailed ? detail : '', withoutLeader(orphanMs)].filter((part) => part !== '');
  return { name, node, durationMs, sinceMs: null, info: info.join(' · ') };
}

/** The time without a leader that a step cost; empty where it cost none. */
function withoutLeader(orphanMs: number): string {
  return orphanMs > 0 ? `no leader for ${shownDuration(orphanMs)}` : '';
}

/**
 * What changed between two observations, one line each, for logs and pipes. `told`: the last reported status, used
 * where the previous observation had none, so that an unanswered query does not repeat what the run has done. `server`: the flags that
 * named the server, for the command to type next.
 */
export function transitions(
  before: RunView | null,
  seen: RunView,
  theme: Theme,
  told: RunView['status'] = before?.status ?? null,
  server: readonly string[] = [],
): readonly string[] {
  const after = flatTexts(seen);
  return [
    ...headlineChange(before, after, theme),
    ...silenceBegun(before, after, theme),
    ...stepsFinished(told, after, theme),
    ...stepBegun(told, after, theme),
    ...holdBegun(told, after, { theme, server }),
    ...notedAtEnd(before, after),
  ];
}

type Told = RunView['status'];

function headlineChange(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  if (before !== null && stateText(before) === stateText(after)) return [];
  const target = after.status === null ? '' : `, target ${after.status.target.toUpperCase()}`;
  return [`${stateMark(after, theme)}${target}`, ...outageBegun(after)];
}

function outageBegun({ contact }: RunView): readonly string[] {
  const outage = contact?.outage ?? null;
  return outage === null ? [] : [`the cluster does not answer: ${outage.error}`];
}

function silenceBegun(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  return before?.silence?.code === after.silence?.code ? [] : silenceLines(after, theme);
}

function stepsFinished(told: Told, after: RunView, theme: Theme): readonly string[] {
  const known = told?.stepsDone.length ?? 0;
  return (after.status?.stepsDone.slice(known) ?? []).map((step) => {
    const subject = [step.phase, step.name, step.node].filter((part) => part !== '').join(' ');
    const took = `in ${shownDuration(step.durationMs)}`;
    const told = [step.detail, withoutLeader(step.orphanMs)].filter((part) => part !== '');
    return `${theme.mark('ok')} ${subject} ${took}: ${told.join(' · ')}`;
  });
}

function stepBegun(told: Told, after: RunView, theme: Theme): readonly string[] {
  const step = after.status?.step ?? null;
  if (step === null || stepKey(told) === stepKey(after.status)) return [];
  return [`${theme.mark('running')} ${stepTitle(step)}: ${step.why}`];
}

/** What the gates of the last soak could not see, told once. */
function notedAtEnd(before: RunView | null, { outcome }: RunView): readonly string[] {
  const isNew = outcome !== null && (before?.outcome ?? null) === null;
  return isNew ? noteLines(outcome.notes ?? []).map((line) => `noted: ${line}`) : [];
}

/** The same step after other steps is a new one. */
function stepKey(status: RunView['status']): string {
  const { name = '', node = '' } = status?.step ?? {};
  return `${String(status?.stepsDone.length)} ${name} ${node}`;
}

function holdBegun(
  told: Told,
  after: RunView,
  { theme, server }: { readonly theme: Theme; readonly server: readonly string[] },
): readonly string[] {
  const status = after.status;
  if (status === null || status.holdReason === 'none') return [];
  if (told?.holdReason === status.holdReason) return [];
  return [
    ...status.findings.map(
      ({ code, subject, seen, fix }) =>
        `${theme.mark('warning')} ${code} ${subject}: ${seen}; ${fix}`,
    ),
    [status.advice, `next: ${typable(status.nextCommand, after, server)}`]
      .filter((part) => part !== '')
      .join('; '),
  ];
}
