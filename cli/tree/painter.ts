import type { Terminal } from '../terminal/terminal.js';

const UP = (lines: number): string => `\u001b[${lines}A`;
const ERASE_BELOW = '\u001b[J';
const CLEAR_LINE_END = '\u001b[K';
const COLOUR = /\u001b\[[0-9;]*m/g;

/** Paints a block of lines over the one before it; on a screen only. */
export interface Painter {
  paint(lines: readonly string[]): void;
}

export function createPainter(terminal: Terminal): Painter {
  let painted = 0;
  let before = '';
  return {
    paint: (lines) => {
      const width = terminal.width();
      const text = lines.map((line) => `${fitted(line, width)}${CLEAR_LINE_END}\n`).join('');
      if (text === before) return;
      terminal.out(`${painted > 0 ? UP(painted) : ''}${text}${ERASE_BELOW}`);
      painted = lines.length;
      before = text;
    },
  };
}

/** A line that wraps would be two rows, and the next paint would be off by one. */
function fitted(line: string, width: number): string {
  if (line.replaceAll(COLOUR, '').length <= width) return line;
  let visible = 0;
  let text = '';
  for (let index = 0; index < line.length && visible < width - 1;) {
    const rest = line.slice(index);
    const escape = /^\u001b\[[0-9;]*m/.exec(rest)?.[0];
    text += escape ?? rest.charAt(0);
    index += escape?.length ?? 1;
    visible += escape === undefined ? 1 : 0;
  }
  return `${text}…\u001b[0m`;
}
