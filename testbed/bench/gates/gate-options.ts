import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { BENCH_PAGE, outputFlags, outputOptions, type OutputOptions } from '../output-options.js';

export interface GateBenchOptions extends OutputOptions {
  readonly seed: number;
  readonly quick: boolean;
}

const OUT = '.ccm-migrate/bench/gates.jsonl';

export const GATE_BENCH_HELP = `npm run bench -- gates [options]

Shows drawn counts to the rule of count gates: whole runs in which nothing is wrong, and windows in which something is. Other tools' rules
judge the same counts.

  --seed S         draws everything (default: drawn, and printed)
  --quick          a twenty-fifth of it, too little for most bars
  --out FILE       results, one JSON line for each run (default ${OUT})
  --append         adds to the file
  --write-docs     writes its tables into ${BENCH_PAGE}

Exit code 0 if every bar holds; 3 if not.
`;

/** @throws Error that says what is wrong with the command line. */
export function readGateOptions(words: readonly string[]): GateBenchOptions {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  const { seed = String(randomInt(2 ** 32)), quick } = values;
  if (!/^\d{1,10}$/.test(seed) || Number(seed) >= 2 ** 32)
    throw new Error(`--seed must be a whole number below 2^32, not "${seed}"`);
  return { seed: Number(seed), quick, ...outputOptions(values) };
}

const OPTIONS = {
  seed: { type: 'string' },
  quick: { type: 'boolean', default: false },
  ...outputFlags(OUT),
} as const;
