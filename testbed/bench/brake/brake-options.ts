import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import {
  BENCH_PAGE,
  countOption,
  outputFlags,
  outputOptions,
  type OutputOptions,
} from '../output-options.js';

/** What decides a bench of the brake. */
export interface BrakeParameters {
  readonly runs: number;
  /** Clusters that migrate at the same time. */
  readonly together: number;
  readonly seed: number;
}

export interface BrakeOptions extends OutputOptions {
  readonly parameters: BrakeParameters;
}

const OUT = '.ccm-migrate/bench/brake.jsonl';
const FEW_RUNS = 10;
const TOGETHER = 8;

export const BRAKE_HELP = `npm run bench -- brake [options]

How long from a bad sign to the last new write of a run: migrations of simulated clusters by the product itself (a Temporal dev server, one worker,
one simulator), each made bad at a random moment. Times are those of the simulator's journal.

  --runs N         runs (default ${FEW_RUNS}, a quick try; the bars are stated for 100)
  --together N     how many clusters migrate at the same time (default ${TOGETHER})
  --seed S         draws situations and moments (default: a new one, which is printed)
  --out FILE       results, one JSON line for each bench (default ${OUT})
  --append         adds to the file
  --write-docs     writes the table of the file into ${BENCH_PAGE}

With --lab it runs on real control planes: npm run bench -- brake --lab --help

Exit code 0 if every bar holds; 3 if not.
`;

/** @throws Error that says what is wrong with the command line. */
export function readBrakeOptions(words: readonly string[]): BrakeOptions {
  const { values } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: false });
  const parameters = {
    runs: countOption('runs', values.runs),
    together: countOption('together', values.together),
    seed: values.seed === undefined ? randomInt(1, 100_000) : countOption('seed', values.seed),
  };
  return { parameters, ...outputOptions(values) };
}

const OPTIONS = {
  runs: { type: 'string', default: String(FEW_RUNS) },
  together: { type: 'string', default: String(TOGETHER) },
  seed: { type: 'string' },
  ...outputFlags(OUT),
} as const;
