import { stripVTControlCharacters } from 'node:util';
import { shown, type Terminal } from '../terminal/terminal.js';

const ESCAPE = '\u001b[';
/** Starts at the left edge: keys typed meanwhile, `^C` for example, have moved the cursor. */
const UP = (lines: number): string => `\r\u001b[${lines}A`;
const ERASE_BELOW = '\u001b[J';
const CLEAR_LINE_END = '\u001b[K';
const RESET = '\u001b[0m';

/** Paints a block of lines over the previous one; on a screen only. */
export interface Painter {
  paint(lines: readonly string[]): void;
}

export function createPainter(terminal: Terminal): Painter {
  let painted = 0;
  let before = '';
  return {
    paint: (lines) => {
      const width = terminal.width();
      const rows = shortened(lines, terminal.height() - 1);
      const texts = rows.map((line) => fitted(line, width));
      const text = texts.join('\n');
      if (text === before) return;
      const block = texts.map((row) => `${shown(row)}${CLEAR_LINE_END}\n`).join('');
      terminal.paint(`${painted > 0 ? UP(painted) : ''}${block}${ERASE_BELOW}`);
      painted = rows.length;
      before = text;
    },
  };
}

const HEADER_ROWS = 8;

/** Lines that scrolled off cannot be repainted: the header and the newest rows stay, the middle is cut. */
function shortened(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const header = lines.slice(0, Math.min(HEADER_ROWS, most - 2));
  return [...header, '…', ...lines.slice(lines.length - (most - header.length - 1))];
}

/** A line that wraps takes two rows and puts the next paint off by one. */
function fitted(line: string, width: number): string {
  if (stripVTControlCharacters(line).length <= width) return line;
  let text = '';
  let visible = 0;
  for (const piece of pieces(line)) {
    const isEscape = piece.startsWith(ESCAPE);
    if (!isEscape && visible >= width - 1) break;
    text += piece;
    visible += isEscape ? 0 : 1;
  }
  return `${text}…${RESET}`;
}

/** Single characters, and each colour sequence as one piece. */
function* pieces(line: string): Generator<string> {
  for (let index = 0; index < line.length;) {
    const end = line.startsWith(ESCAPE, index) ? line.indexOf('m', index) + 1 : index + 1;
    yield line.slice(index, Math.max(end, index + 1));
    index = Math.max(end, index + 1);
  }
}
