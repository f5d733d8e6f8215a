import { entryOf } from '../../domain/findings/catalogue.js';
import type { RunView } from '../runs/run-view.js';
import type { Theme } from '../terminal/theme.js';

/** Why a run does not answer and what to do about it, a line each; none when it does or has ended. */
export function silenceLines(
  { silence }: Pick<RunView, 'silence'>,
  theme: Theme,
): readonly string[] {
  if (silence === null) return [];
  const { code, detail } = silence;
  const { title, fix } = entryOf(code);
  const seen = detail === '' ? '' : `: ${detail}`;
  return [`${theme.mark('warning')} ${code} ${title}${seen}`, `  fix   ${fix}`];
}
