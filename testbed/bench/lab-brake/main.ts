import { Client, Connection } from '@temporalio/client';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { DATA_CONVERTER } from '../../../config/data-converter.js';
import { createDraws } from '../../simulator/clock/draws.js';
import { thisMachine } from '../bench-machine.js';
import { openBenchEnvironment, type BenchEnvironment } from '../on-lab/bench-environment.js';
import { startProduct } from '../on-lab/product.js';
import { refuseOverwriting } from '../output-options.js';
import { writeSection } from '../page-section.js';
import { LAB_BRAKE_HELP, readLabBrakeOptions, type LabBrakeOptions } from './lab-brake-options.js';
import { labBrakeBars, labBrakeSection, labBrakeTable } from './lab-brake-page.js';
import { appendLabBrake, readLabBrakes, type LabBrakeRecord } from './lab-brake-records.js';
import { labBrakeRun, type LabBrakeOutcome, type LabBrakeStage } from './lab-brake-run.js';

const SECTION = 'from a bad sign to the last write on the lab';
const NODES = 3;
/** A migration in place of so many nodes changes for about so long. */
const CHANGES_FOR_MS = 30_000;

/** `npm run bench -- brake --lab`; returns the exit code. */
export async function labBrakeBench(words: readonly string[]): Promise<number> {
  let options: LabBrakeOptions;
  try {
    options = readLabBrakeOptions(words);
    if (!options.help) refuseOverwriting(options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(LAB_BRAKE_HELP);
    return EXIT_CODES.reached;
  }
  const interruption = interrupted();
  try {
    return tell(options, await allRuns(options, interruption));
  } catch (error) {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return interruption.aborted ? EXIT_CODES.interrupted : EXIT_CODES.failed;
  }
}

/** The first signal removes the lab; after a second one its watchdog does. */
function interrupted(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
      controller.abort(new Error(`received ${signal}`));
    });
  }
  return controller.signal;
}

async function allRuns(
  { runs, seed }: LabBrakeOptions,
  signal: AbortSignal,
): Promise<LabBrakeRecord> {
  report(`seed ${seed}`);
  const draws = createDraws(seed);
  const moments = Array.from({ length: runs }, () => Math.round(draws.between(0, CHANGES_FOR_MS)));
  const environment = await openBenchEnvironment(NODES, { env: process.env, signal, report });
  const at = new Date();
  try {
    const outcomes = await onProduct(environment, moments);
    return {
      ...{ kind: 'LabBrake', at: at.toISOString(), machine: thisMachine(), seed },
      seconds: (Date.now() - at.getTime()) / 1000,
      runs: outcomes.flatMap((each) => (each.kind === 'measured' ? [each.run] : [])),
      missed: outcomes.flatMap((each) => (each.kind === 'missed' ? [each.why] : [])),
    };
  } finally {
    await environment.close();
  }
}

async function onProduct(
  environment: BenchEnvironment,
  moments: readonly number[],
): Promise<readonly LabBrakeOutcome[]> {
  const product = await startProduct(environment, 'inPlace');
  try {
    const { address, namespace } = product.server;
    const connection = await Connection.connect({ address });
    const client = new Client({ connection, namespace, dataConverter: DATA_CONVERTER });
    try {
      return await oneByOne({ environment, product, client }, moments);
    } finally {
      await connection.close();
    }
  } finally {
    await product.stop();
  }
}

async function oneByOne(
  stage: LabBrakeStage,
  moments: readonly number[],
): Promise<readonly LabBrakeOutcome[]> {
  const outcomes: LabBrakeOutcome[] = [];
  for (const [index, afterMs] of moments.entries()) {
    const outcome = await labBrakeRun(stage, index + 1, afterMs);
    outcomes.push(outcome);
    report(`${index + 1} of ${moments.length}, after ${afterMs} ms: ${outcomeText(outcome)}`);
  }
  return outcomes;
}

function outcomeText(outcome: LabBrakeOutcome): string {
  return outcome.kind === 'missed' ? outcome.why : JSON.stringify(outcome.run);
}

function tell({ out, docs }: LabBrakeOptions, record: LabBrakeRecord): number {
  appendLabBrake(out, record);
  const bars = labBrakeBars(record);
  process.stdout.write(`${JSON.stringify(record)}\n\n${labBrakeTable(record)}\n\n`);
  for (const { said, holds } of bars) {
    process.stdout.write(`${holds ? 'holds' : 'BROKEN'}  ${said}\n`);
  }
  if (docs !== null) writeSection(docs, SECTION, labBrakeSection(readLabBrakes(out)));
  return bars.every(({ holds }) => holds) ? EXIT_CODES.reached : EXIT_CODES.checksFailed;
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
