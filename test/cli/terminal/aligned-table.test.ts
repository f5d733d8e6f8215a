import { describe, expect, it } from '@jest/globals';
import { tableLines } from '../../../cli/terminal/aligned-table.js';

describe('a table', () => {
  it('of as many rows as an export may have is aligned', () => {
    const cells = Array.from({ length: 200_000 }, (_, at) => String(at));
    const columns = [
      { title: 'ONE', cells },
      { title: 'TWO', cells },
    ];
    const lines = tableLines(columns, { width: Infinity, always: 2 });
    expect([lines[0], lines[1], lines.at(-1)]).toEqual([
      'ONE     TWO',
      '0       0',
      '199999  199999',
    ]);
  });
});
