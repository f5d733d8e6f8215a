import { parseArgs } from 'node:util';
import { parseDuration } from '../../../config/duration.js';
import { BENCH_PAGE, outputFlags, outputOptions, type OutputOptions } from '../output-options.js';
import { USUAL_STEPS } from './bench-rules.js';
import type { FleetParameters } from './drawn-fleet.js';
import type { Drills } from './engine-drills.js';

export interface FleetBenchOptions extends OutputOptions {
  readonly parameters: FleetParameters;
  readonly drills: Drills;
  /** Where database, logs and journal are kept; null removes them. */
  readonly keep: string | null;
}

const OUT = '.ccm-migrate/bench/fleet-engine.jsonl';

export const FLEET_BENCH_HELP = `npm run bench -- fleet --engine [options]

Moves a fleet of model clusters with the real workflows on a real Temporal dev server, and compares its time with the rule
alone, with the lower bound, with waves that have a barrier and with a plain pool. For whole simulated clusters: fleet --simulator --help.

  --clusters N     how many clusters (default 1000)
  --seed S         draws durations and failures (default 4: none of its canaries is slow)
  --steps K        steps of one direction (default ${USUAL_STEPS}, as three nodes in place)
  --change TIME    mean time of a change (default 60s)
  --soak TIME      (default 60s)
  --in-flight W    clusters that change at once (default 50)
  --unproven E     clusters that change, soak or are held at once (default 100)
  --budget F       clusters that may burn (default 120)
  --slow-start N   clusters that change at once at first (default 4)
  --region-cap N   clusters of one region that change at once
  --pace N         so many runs get past their first check in a second, however many have a slot
  --broken-region  all clusters of one of the eight regions fail; what still waits there at the end is stopped
  --no-kill        leaves server and worker alone; otherwise each is killed once
  --pause          pauses the fleet once with all its slots taken, for 30 s
  --keep FOLDER    keeps database, logs and journal there
  --out FILE       results, one JSON line for each run (default ${OUT})
  --append         adds to the file
  --write-docs     writes the table of the file into ${BENCH_PAGE}

Exit code 0 if every bar that is stated for these parameters holds; 3 if not.
`;

/** @throws Error that says what is wrong with the command line. */
export function readFleetOptions(words: readonly string[]): FleetBenchOptions {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  if (values.engine !== true && !values.help)
    throw new Error('which benchmark? Give --engine or --simulator');
  const { clusters, seed, steps, change, soak, budget, unproven } = values;
  const regionCap = values['region-cap'];
  return {
    parameters: {
      ...{ clusters: count('clusters', clusters), seed: count('seed', seed) },
      ...{ steps: count('steps', steps), budget: count('budget', budget) },
      ...{ changeMs: time('change', change), soakMs: time('soak', soak) },
      ...{ inFlight: count('in-flight', values['in-flight']) },
      ...{ unproven: count('unproven', unproven) },
      ...{ slowStart: count('slow-start', values['slow-start']) },
      regionCap: regionCap === undefined ? null : count('region-cap', regionCap),
      brokenRegion: values['broken-region'],
      startsPerSecond: values.pace === undefined ? null : rate('pace', values.pace),
    },
    drills: {
      kill: !values['no-kill'],
      pause: values.pause,
      stopHeld: values['broken-region'],
    },
    keep: values.keep ?? null,
    ...outputOptions(values),
  };
}

const OPTIONS = {
  engine: { type: 'boolean' },
  clusters: { type: 'string', default: '1000' },
  seed: { type: 'string', default: '4' },
  steps: { type: 'string', default: String(USUAL_STEPS) },
  change: { type: 'string', default: '60s' },
  soak: { type: 'string', default: '60s' },
  'in-flight': { type: 'string', default: '50' },
  unproven: { type: 'string', default: '100' },
  budget: { type: 'string', default: '120' },
  'slow-start': { type: 'string', default: '4' },
  'region-cap': { type: 'string' },
  pace: { type: 'string' },
  'broken-region': { type: 'boolean', default: false },
  'no-kill': { type: 'boolean', default: false },
  pause: { type: 'boolean', default: false },
  keep: { type: 'string' },
  ...outputFlags(OUT),
} as const;

function count(name: string, text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error(`--${name} must be a whole number above 0, not "${text}"`);
}

function rate(name: string, text: string): number {
  const perSecond = /^\d{1,3}(\.\d{1,2})?$/.test(text) ? Number(text) : 0;
  if (perSecond > 0) return perSecond;
  throw new Error(`--${name} must be a number above 0 such as 2.5, not "${text}"`);
}

function time(name: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== null && ms > 0) return ms;
  throw new Error(`--${name} must be a duration such as 60s, not "${text}"`);
}
