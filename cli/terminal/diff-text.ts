import type { Theme } from './theme.js';
import { shownText } from './wording.js';

/** The lines of a unified diff in colours, harmless on a terminal; context lines only where they are wanted. */
export function diffLines(diff: string, theme: Theme, withContext: boolean): readonly string[] {
  return diff
    .split('\n')
    .filter((line) => line !== '' && (withContext || !line.startsWith(' ')))
    .map((line) => theme.paint(toneOf(line), shownText(line)));
}

function toneOf(line: string): 'added' | 'removed' | 'plain' {
  if (line.startsWith('+')) return 'added';
  return line.startsWith('-') ? 'removed' : 'plain';
}

/** Whether it shows a text that is new or gone as a whole: nothing of it is a change of lines among others. */
export function isWholeText(diff: string): boolean {
  const lines = diff.split('\n').filter((line) => line !== '' && !line.startsWith('@@'));
  return lines.every((line) => line.startsWith('+')) || lines.every((line) => line.startsWith('-'));
}
