import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { csvText } from '../../../cli/terminal/csv-text.js';

const cell = (text: string): string => csvText([], [[text]]).slice(1, -1);

/** Reads it as RFC 4180 says. */
function readCsv(text: string): readonly (readonly string[])[] {
  const rows: string[][] = [];
  const row: string[] = [];
  const cells = text.matchAll(/("(?:[^"]|"")*"|[^",\n]*)([,\n])/g);
  for (const [, written = '', end] of cells) {
    row.push(written.startsWith('"') ? written.slice(1, -1).replaceAll('""', '"') : written);
    if (end === '\n') rows.push(row.splice(0));
  }
  return rows;
}

describe('a table for spreadsheets', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['a,b', '"a,b"'],
    ['say "x"', '"say ""x"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("http://x")', '"\'=HYPERLINK(""http://x"")"'],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', "'\t=1"],
    ['\r=1', '"\'\r=1"'],
    ['\n=1', '"\'\n=1"'],
    ['a=1', 'a=1'],
  ])('the cell %j is written as %j', (text, written) => {
    expect(cell(text)).toBe(written);
  });

  it('is read back as it was, but for the quote before a formula', () => {
    const texts = fc.array(
      fc.string({ unit: fc.constantFrom('=', ',', '"', '\n', ' ', 'a', '-') }),
      {
        minLength: 2,
        maxLength: 2,
      },
    );
    fc.assert(
      fc.property(fc.array(texts), (rows) => {
        const safe = rows.map((row) =>
          row.map((each) => (/^[=\n-]/.test(each) ? `'${each}` : each)),
        );
        expect(readCsv(csvText(['one', 'two'], rows))).toEqual([['one', 'two'], ...safe]);
      }),
    );
  });
});
