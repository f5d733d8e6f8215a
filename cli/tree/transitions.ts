import type { RunView } from '../runs/run-view.js';
import { typable } from '../runs/typable.js';
import { stepTitle } from '../terminal/step-title.js';
import type { Theme } from '../terminal/theme.js';
import { shownDuration } from '../terminal/duration.js';
import { stateMark, stateWord } from './headline.js';
import { silenceLines } from './silence-lines.js';
import { withoutLeader } from './step-groups.js';

/**
 * What changed from one look to the next, a line each, for logs and pipes. `told`: the status that was told last, where
 * the look before had none: what a run has done is not told again because nobody answered in between.
 */
export function transitions(
  before: RunView | null,
  after: RunView,
  theme: Theme,
  told: RunView['status'] = before?.status ?? null,
): readonly string[] {
  return [
    ...headlineChange(before, after, theme),
    ...silenceBegun(before, after, theme),
    ...stepsFinished(told, after, theme),
    ...stepBegun(told, after, theme),
    ...troubleBegun(told, after, theme),
  ];
}

type Told = RunView['status'];

function headlineChange(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  if (before !== null && stateWord(before) === stateWord(after)) return [];
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

/** The same step again after others is another one. */
function stepKey(status: RunView['status']): string {
  const { name = '', node = '' } = status?.step ?? {};
  return `${String(status?.stepsDone.length)} ${name} ${node}`;
}

function troubleBegun(told: Told, after: RunView, theme: Theme): readonly string[] {
  const status = after.status;
  if (status === null || status.trouble === 'none') return [];
  if (told?.trouble === status.trouble) return [];
  return [
    ...status.findings.map(
      ({ code, subject, seen, fix }) =>
        `${theme.mark('warning')} ${code} ${subject}: ${seen}; ${fix}`,
    ),
    [status.advice, `next: ${typable(status.nextCommand, after)}`]
      .filter((part) => part !== '')
      .join('; '),
  ];
}
