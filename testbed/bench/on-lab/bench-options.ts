import { parseArgs } from 'node:util';
import { BENCH_PAGE, outputFlags, outputOptions, type OutputOptions } from '../output-options.js';
import { ROWS, rowNamed, USUAL_ROWS, type BenchRow } from './rows.js';

export interface Options extends OutputOptions {
  readonly runs: number;
  readonly rows: readonly BenchRow[];
}

const OUT = '.ccm-migrate/bench/handover-lab.jsonl';

export const BENCH_HELP = `npm run bench -- handover --lab [options]

Runs the handover forward and back on real control planes on this machine (root; see docs/lab.md), ours and the official
guide's in turns, and measures both from outside in the same way.

  --runs N        runs of each row (default 10); 0 only prints the results in the file
  --rows A,B,…    which rows (default ${USUAL_ROWS.map(({ name }) => name).join(',')})
${ROWS.map(({ name, title }) => `                    ${name.padEnd(14)} ${title}`).join('\n')}
  --out FILE      results, one JSON line for each run (default ${OUT})
  --append        appends to the file; the verdict covers all runs in it
  --write-docs    writes the table into ${BENCH_PAGE}

A run takes two to five minutes. Exit code 0 if ours never had two owners and the guide's mean time without owner is at
least five times ours; 3 if not, 8 if the file lacks rows for this comparison.
`;

/** @throws Error that says what is wrong with the command line. */
export function readOptions(words: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...words],
    options: {
      lab: { type: 'boolean' },
      runs: { type: 'string', default: '10' },
      rows: { type: 'string' },
      ...outputFlags(OUT),
    },
  });
  const { rows } = values;
  return {
    ...outputOptions(values),
    runs: wholeNumber(values.runs),
    rows: rows === undefined ? USUAL_ROWS : rows.split(',').map(rowNamed),
  };
}

function wholeNumber(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new Error(`--runs must be a whole number, not "${text}"`);
}
