import type { GateNumbers, GateVerdict } from '../../domain/gates/verdicts.js';
import { plainNumber } from '../../domain/gates/own/judge-own.js';
import { tableLines } from '../terminal/aligned-table.js';

/** What gates say, worst first; below, of each that does not pass, what was seen. */
export function verdictTable(
  verdicts: readonly GateVerdict[],
  width = Infinity,
): readonly string[] {
  const sorted = [...verdicts].sort((a, b) => rankOf(a) - rankOf(b));
  const column = (title: string, cell: (verdict: GateVerdict) => string) => ({
    title,
    cells: sorted.map(cell),
  });
  const table = tableLines(
    [
      column('GATE', ({ gate }) => gate),
      column('SAYS', wordOf),
      column('VALUE', ({ numbers }) => valueText(numbers)),
      column('LIMIT', ({ numbers }) => numberText(numbers, numbers?.limit)),
    ],
    { width, always: 2 },
  );
  const seen = sorted
    .filter(({ verdict }) => verdict !== 'pass')
    .map(({ gate, detail }) => `${gate}: ${detail}`);
  return seen.length === 0 ? table : [...table, '', ...seen];
}

function rankOf(verdict: GateVerdict): number {
  return WORST.indexOf(wordOf(verdict));
}

const WORST = ['fail', 'error', 'noData', 'inconclusive', 'note', 'pass'];

function wordOf({ verdict, noted }: GateVerdict): string {
  return noted === true ? 'note' : verdict;
}

/** `2.9 % (1 of 34)`, `12 s`, `3`; `-` where nothing was measured. */
function valueText(numbers: GateNumbers | undefined): string {
  const counted = numbers?.counted;
  const value = numberText(numbers, numbers?.value);
  if (counted === undefined) return value;
  const events = `${String(counted.bad)} of ${String(counted.events)}`;
  return value === '-' ? events : `${value} (${events})`;
}

function numberText(numbers: GateNumbers | undefined, value: number | null | undefined): string {
  if (numbers === undefined || value === null || value === undefined) return '-';
  switch (numbers.unit) {
    case 'ratio':
      return `${String(Number((100 * value).toFixed(1)))} %`;
    case 'seconds':
      return `${String(Number(value.toFixed(1)))} s`;
    case 'items':
      return String(Number(value.toFixed(1)));
    case 'own':
      return plainNumber(value);
  }
}
