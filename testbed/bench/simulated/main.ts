import { join } from 'node:path';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { thisMachine } from '../bench-machine.js';
import { refuseOverwriting } from '../output-options.js';
import { writeSection } from '../page-section.js';
import { measureHeld } from './held-run.js';
import { simulatedBars } from './simulated-bars.js';
import {
  readSimulatedOptions,
  SIMULATED_HELP,
  type SimulatedOptions,
  type SimulatedParameters,
} from './simulated-options.js';
import { simulatedSection, simulatedTable } from './simulated-page.js';
import {
  appendSimulatedRecord,
  readSimulatedRecords,
  type SimulatedRecord,
} from './simulated-records.js';
import { measureWhole } from './whole-run.js';

const SECTION = 'fleets of whole simulated clusters';

/** `npm run bench -- fleet --simulator`; returns the exit code. */
export async function simulatedBench(words: readonly string[]): Promise<number> {
  let options: SimulatedOptions;
  try {
    options = readSimulatedOptions(words);
    if (!options.help) refuseOverwriting(options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(SIMULATED_HELP);
    return EXIT_CODES.reached;
  }
  // Children are killed when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(EXIT_CODES.interrupted));
  }
  try {
    return await runAll(options);
  } catch (error) {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_CODES.failed;
  }
}

/** Each run is written down when it ends, so that one that fails later costs only itself. */
async function runAll({ runs, out, docs, keep }: SimulatedOptions): Promise<number> {
  let holds = true;
  for (const parameters of runs) {
    report(`run ${parameters.run}`);
    const record = await recorded(parameters, keep);
    appendSimulatedRecord(out, record);
    holds = tell(record) && holds;
    if (docs !== null) writeSection(docs, SECTION, simulatedSection(readSimulatedRecords(out)));
  }
  return holds ? EXIT_CODES.reached : EXIT_CODES.checksFailed;
}

async function recorded(
  parameters: SimulatedParameters,
  keep: string | null,
): Promise<SimulatedRecord> {
  const { run, seed } = parameters;
  const folder = keep === null ? null : join(keep, run);
  const context = { env: process.env, report, folder, seed };
  const at = new Date().toISOString();
  const figures =
    run === 'held'
      ? await measureHeld(parameters, context)
      : await measureWhole(parameters, context);
  return { kind: 'FleetSimulatorRun', at, machine: thisMachine(), parameters, figures };
}

function tell(record: SimulatedRecord): boolean {
  process.stdout.write(`${JSON.stringify(record)}\n\n${simulatedTable([record])}\n\n`);
  const bars = simulatedBars(record);
  for (const { said, holds } of bars) {
    process.stdout.write(`${holds ? 'holds' : 'BROKEN'}  ${said}\n`);
  }
  return bars.every(({ holds }) => holds);
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
