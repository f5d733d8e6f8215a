import { parseArgs } from 'node:util';
import {
  BENCH_PAGE,
  countOption,
  outputFlags,
  outputOptions,
  type OutputOptions,
} from '../output-options.js';

/** What one run of the benchmark is. */
export const RUN_NAMES = ['in-place', 'replace', 'held'] as const;
export type RunName = (typeof RUN_NAMES)[number];

/** What decides a run. */
export interface SimulatedParameters {
  readonly run: RunName;
  /** Clusters that migrate; in run `held`, how many move at the same time. */
  readonly clusters: number;
  /** Clusters that are held meanwhile; 0 but in run `held`. */
  readonly held: number;
  /** How long it is measured with all of them; 0 where a fleet moves to its end. */
  readonly seconds: number;
  readonly soakSeconds: number;
  /** W, E and F of the fleet that moves, and the most of one zone at a time. */
  readonly inFlight: number;
  readonly unproven: number;
  readonly budget: number;
  readonly zoneCap: number;
  readonly seed: number;
}

export interface SimulatedOptions extends OutputOptions {
  readonly runs: readonly SimulatedParameters[];
  /** Where database, logs and the simulator's files are kept; null removes them. */
  readonly keep: string | null;
}

const OUT = '.ccm-migrate/bench/fleet-simulator.jsonl';

/** For each run, how many clusters its bars are stated for. */
const STATED_CLUSTERS = { 'in-place': 200, replace: 40, held: 40 } as const;
const STATED_HELD = { clusters: 200, seconds: 600 } as const;

export const SIMULATED_HELP = `npm run bench -- fleet --simulator [options]

Migrates fleets of whole simulated clusters with the product itself: its command line, a Temporal dev server, one worker process and one simulator
process. Limits are judged by the simulator's journal, costs by the processes themselves.

  --run NAME       in-place: ${STATED_CLUSTERS['in-place']} clusters whose nodes are changed in place
                   replace: ${STATED_CLUSTERS.replace} clusters whose control-plane machines are replaced
                   held: ${STATED_CLUSTERS.held} clusters move for some time while ${STATED_HELD.clusters} wait for the approval of their handover
                   all: these three, one after the other (default)
  --clusters N     how many clusters migrate; in run held, how many move at the same time
  --held N         clusters that are held in run held (default ${STATED_HELD.clusters})
  --seconds N      how long run held is measured (default ${STATED_HELD.seconds})
  --seed S         draws the delays of kubelets (default 1)
  --keep FOLDER    keeps database, logs and the simulator's files there, a folder for each run
  --out FILE       results, one JSON line for each run (default ${OUT})
  --append         adds to the file
  --write-docs     writes the table of the file into ${BENCH_PAGE}

A small run on a busy machine: --run held --clusters 5 --held 10 --seconds 60. What a worker needs once weighs more then.

Exit code 0 if every bar holds; 3 if not.
`;

/** @throws Error that says what is wrong with the command line. */
export function readSimulatedOptions(words: readonly string[]): SimulatedOptions {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  const given = {
    clusters: values.clusters === undefined ? null : several('clusters', values.clusters),
    held: several('held', values.held),
    seconds: countOption('seconds', values.seconds),
    seed: countOption('seed', values.seed),
  };
  return {
    runs: namedRuns(values.run).map((run) => parametersOf(run, given)),
    keep: values.keep ?? null,
    ...outputOptions(values),
  };
}

const OPTIONS = {
  simulator: { type: 'boolean' },
  run: { type: 'string', default: 'all' },
  clusters: { type: 'string' },
  held: { type: 'string', default: String(STATED_HELD.clusters) },
  seconds: { type: 'string', default: String(STATED_HELD.seconds) },
  seed: { type: 'string', default: '1' },
  keep: { type: 'string' },
  ...outputFlags(OUT),
} as const;

interface Given {
  readonly clusters: number | null;
  readonly held: number;
  readonly seconds: number;
  readonly seed: number;
}

/** Clusters have one of so many zones, and a zone may have half of those that change. */
export const ZONES = 4;

/** As many may burn as may change at once: a smaller budget would let fewer change. */
function parametersOf(run: RunName, { seed, ...given }: Given): SimulatedParameters {
  const clusters = given.clusters ?? STATED_CLUSTERS[run];
  const shared = { run, clusters, seed };
  switch (run) {
    case 'in-place':
    case 'replace':
      return {
        ...{ ...shared, held: 0, seconds: 0, soakSeconds: 30 },
        ...{ inFlight: 20, unproven: 60, budget: 20, zoneCap: 10 },
      };
    case 'held':
      return {
        ...{ ...shared, held: given.held, seconds: given.seconds, soakSeconds: 1 },
        ...{ inFlight: clusters, unproven: 2 * clusters, budget: clusters, zoneCap: clusters },
      };
  }
}

function namedRuns(name: string): readonly RunName[] {
  const [run] = RUN_NAMES.filter((each) => each === name);
  if (run !== undefined) return [run];
  if (name === 'all') return RUN_NAMES;
  throw new Error(`--run must be ${RUN_NAMES.join(', ')} or all, not "${name}"`);
}

/** A cluster on its own is no fleet. */
function several(name: string, text: string): number {
  const number = countOption(name, text);
  if (number > 1) return number;
  throw new Error(`--${name} must be above 1: a cluster on its own is no fleet`);
}
