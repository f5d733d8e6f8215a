import { stripVTControlCharacters } from 'node:util';

/** One column: its title and one cell for each row. */
export interface TableColumn {
  readonly title: string;
  readonly cells: readonly string[];
}

/**
 * A table as lines, columns as wide as their longest cell. On a screen that is too narrow, columns are dropped from the
 * right; the first `always` stay.
 */
export function tableLines(
  columns: readonly TableColumn[],
  { width, always }: { readonly width: number; readonly always: number },
): readonly string[] {
  const sized = columns.map(({ title, cells }) => {
    const all = [title, ...cells];
    // One by one: an export may have more rows than a call takes arguments.
    const wide = all.reduce((most, cell) => Math.max(most, visibleLength(cell)), 0);
    return { all, wide };
  });
  const fitting = sized.filter(
    (_, index) =>
      index < always ||
      sized.slice(0, index + 1).reduce((sum, { wide }) => sum + wide + 2, -2) <= width,
  );
  const rows = Math.max(0, ...columns.map(({ cells }) => cells.length)) + 1;
  return [...Array(rows).keys()].map((row) =>
    fitting
      .map(({ all, wide }) => {
        const cell = all[row] ?? '';
        return cell + ' '.repeat(Math.max(0, wide - visibleLength(cell)));
      })
      .join('  ')
      .trimEnd(),
  );
}

/** Columns that a text takes on the screen. */
function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
