import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  BENCH_PAGE,
  countOption,
  outputFlags,
  outputOptions,
  type OutputOptions,
} from '../output-options.js';

export interface LabBrakeOptions extends OutputOptions {
  readonly runs: number;
  readonly seed: number;
}

const OUT = '.ccm-migrate/bench/brake-lab.jsonl';
const RUNS = 8;

export const LAB_BRAKE_HELP = `npm run bench -- brake --lab [options]

How long from a bad sign to the last new write of a run on real control planes (root; see docs/lab.md): the process that owns the cloud
controllers is stopped by a signal while the product migrates three nodes in place. A run takes about 40 s.

  --runs N         runs (default ${RUNS})
  --seed S         draws the moments (default: a new one, which is printed)
  --out FILE       results, one JSON line for each bench (default ${OUT})
  --append         adds to the file
  --write-docs     writes the table of the file into ${BENCH_PAGE}

Exit code 0 if every bar holds; 3 if not.
`;

/** @throws Error that says what is wrong with the command line. */
export function readLabBrakeOptions(words: readonly string[]): LabBrakeOptions {
  const { values } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: false });
  const { runs, seed } = values;
  return {
    ...outputOptions(values),
    runs: countOption('runs', runs),
    seed: seed === undefined ? randomInt(1, 100_000) : countOption('seed', seed),
  };
}

const OPTIONS = {
  lab: { type: 'boolean' },
  runs: { type: 'string', default: String(RUNS) },
  seed: { type: 'string' },
  ...outputFlags(OUT),
} as const;
