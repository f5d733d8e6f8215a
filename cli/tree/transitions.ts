import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';
import { headline } from './headline.js';
import { silenceLines } from './silence-lines.js';
import { seconds } from './step-groups.js';

/** What changed from one look to the next, a line each, for logs and pipes. */
export function transitions(
  before: RunView | null,
  after: RunView,
  theme: Theme,
): readonly string[] {
  return [
    ...headlineChange(before, after, theme),
    ...silenceBegun(before, after, theme),
    ...stepsFinished(before, after, theme),
    ...stepBegun(before, after, theme),
    ...troubleBegun(before, after, theme),
  ];
}

function headlineChange(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  const now = headline(after, theme);
  if (before !== null && headline(before, theme) === now) return [];
  const toward = after.status === null ? '' : ` toward ${after.status.target}`;
  return [`${now}${toward}`];
}

function silenceBegun(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  return before?.silence?.code === after.silence?.code ? [] : silenceLines(after, theme);
}

function stepsFinished(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  const known = before?.status?.stepsDone.length ?? 0;
  return (after.status?.stepsDone.slice(known) ?? []).map((step) => {
    const subject = [step.phase, step.name, step.node].filter((part) => part !== '').join(' ');
    const orphan = step.orphanMs > 0 ? ` · no owner for ${seconds(step.orphanMs)}` : '';
    return `${theme.mark('ok')} ${subject} in ${seconds(step.durationMs)}: ${step.detail}${orphan}`;
  });
}

function stepBegun(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  const step = after.status?.step ?? null;
  if (step === null || stepKey(before?.status ?? null) === stepKey(after.status)) return [];
  const subject = step.node === '' ? step.name : `${step.name} ${step.node}`;
  return [`${theme.mark('running')} ${subject}: ${step.why}`];
}

/** The same step again after others is another one. */
function stepKey(status: RunView['status']): string {
  const { name = '', node = '' } = status?.step ?? {};
  return `${String(status?.stepsDone.length)} ${name} ${node}`;
}

function troubleBegun(before: RunView | null, after: RunView, theme: Theme): readonly string[] {
  const status = after.status;
  if (status === null || status.trouble === 'none') return [];
  if (before?.status?.trouble === status.trouble) return [];
  return [
    ...status.findings.map(
      ({ code, subject, seen, fix }) =>
        `${theme.mark('warning')} ${code} ${subject}: ${seen}; ${fix}`,
    ),
    `waits (${status.trouble}); next: ${status.nextCommand}`,
  ];
}
