import { mkdirSync } from 'node:fs';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { thisMachine } from '../bench-machine.js';
import { refuseOverwriting } from '../output-options.js';
import { writeSection } from '../page-section.js';
import { readJournal } from './bench-journal.js';
import { drawFleet, ruleAlone, type DrawnFleet, type FleetParameters } from './drawn-fleet.js';
import { openEngine, type Engine } from './engine.js';
import { barsOf } from './fleet-bars.js';
import { figuresOf, type FleetFigures } from './fleet-figures.js';
import { benchInput } from './bench-input.js';
import { FLEET_BENCH_HELP, readFleetOptions, type FleetBenchOptions } from './fleet-options.js';
import { fleetSection, fleetTable } from './fleet-page.js';
import { appendFleetRecord, readFleetRecords, type FleetRecord } from './fleet-records.js';
import { followBench } from './follow-bench.js';
import { settledSizes } from './history-sizes.js';

const SECTION = 'fleets on a real Temporal server';

/** `npm run bench -- fleet --engine`; returns the exit code. */
export async function fleetBench(words: readonly string[]): Promise<number> {
  let options: FleetBenchOptions;
  try {
    options = readFleetOptions(words);
    refuseOverwriting(options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(FLEET_BENCH_HELP);
    return EXIT_CODES.reached;
  }
  // Children are killed when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(EXIT_CODES.interrupted));
  }
  try {
    return tell(options, await run(options));
  } catch (error) {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_CODES.failed;
  }
}

async function run(options: FleetBenchOptions): Promise<FleetRecord> {
  const { parameters, keep: folder } = options;
  if (folder !== null) mkdirSync(folder, { recursive: true });
  const fleet = drawFleet(parameters);
  const at = new Date().toISOString();
  const engine = await openEngine(parameters, { env: process.env, report, folder });
  try {
    const figures = await measured(engine, fleet, options);
    return { kind: 'FleetEngineRun', at, machine: thisMachine(), parameters, figures };
  } finally {
    await engine.close();
  }
}

/** A fleet that takes so many times as long as the rule alone, or as its pace, will not end. */
const PATIENCE = 4;
const AT_LEAST_MS = 10 * 60_000;

async function measured(
  engine: Engine,
  fleet: DrawnFleet,
  { parameters, drills }: FleetBenchOptions,
): Promise<FleetFigures> {
  const withinMs =
    AT_LEAST_MS + PATIENCE * Math.max(ruleAlone(fleet).state.nowMs, pacedMs(parameters));
  const input = benchInput(fleet, parameters);
  const followed = await followBench(engine, input, { drills, withinMs, report });
  report(`the fleet ended: ${followed.status}`);
  const sizes = await settledSizes(engine.client);
  return figuresOf(fleet, readJournal(engine.journal), followed, sizes);
}

/** How long it takes until the last run has begun. */
function pacedMs({ clusters, startsPerSecond }: FleetParameters): number {
  return startsPerSecond === null ? 0 : (clusters / startsPerSecond) * 1000;
}

function tell({ out, docs }: FleetBenchOptions, record: FleetRecord): number {
  appendFleetRecord(out, record);
  process.stdout.write(`${JSON.stringify(record)}\n\n${fleetTable([record])}\n\n`);
  const bars = barsOf(record);
  for (const { said, holds } of bars) {
    process.stdout.write(`${holds ? 'holds' : 'BROKEN'}  ${said}\n`);
  }
  if (docs !== null) writeSection(docs, SECTION, fleetSection(readFleetRecords(out)));
  return bars.every(({ holds }) => holds) ? EXIT_CODES.reached : EXIT_CODES.checksFailed;
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
