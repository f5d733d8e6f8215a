import { EXIT_CODES } from '../../../cli/exit-status.js';
import { createDraws } from '../../simulator/clock/draws.js';
import { thisMachine } from '../bench-machine.js';
import { refuseOverwriting } from '../output-options.js';
import { writeSection } from '../page-section.js';
import { boundOfShare, readHistogram } from '../simulated/gap-histogram.js';
import { GUARD_GAP_METRIC } from '../simulated/whole-run.js';
import { brakeBars } from './brake-bars.js';
import { drawnRuns, type DrawnRun } from './brake-draws.js';
import type { BrakeFigures } from './brake-figures.js';
import {
  BRAKE_HELP,
  readBrakeOptions,
  type BrakeOptions,
  type BrakeParameters,
} from './brake-options.js';
import { brakeSection, brakeTable } from './brake-page.js';
import { appendBrakeRecord, readBrakeRecords, type BrakeRecord } from './brake-records.js';
import { brakeRun, type BrakeOutcome } from './brake-run.js';
import { openStage, type OpenStage } from './brake-stage.js';
import { readDelays } from './loop-delay.js';

const SECTION = 'from a bad sign to the last write';

/** `npm run bench -- brake`; returns the exit code. */
export async function brakeBench(words: readonly string[]): Promise<number> {
  let options: BrakeOptions;
  try {
    options = readBrakeOptions(words);
    if (!options.help) refuseOverwriting(options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(BRAKE_HELP);
    return EXIT_CODES.reached;
  }
  // Children are killed when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => process.exit(EXIT_CODES.interrupted));
  }
  try {
    return tell(options, await measured(options.parameters));
  } catch (error) {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_CODES.failed;
  }
}

async function measured(parameters: BrakeParameters): Promise<BrakeRecord> {
  const { runs, together, seed } = parameters;
  report(`seed ${seed}`);
  const drawn = drawnRuns(createDraws(seed), runs);
  const stage = await openStage(drawn, { env: process.env, report, seed });
  try {
    const at = new Date();
    const outcomes = await allRuns(stage, drawn, together);
    const gaps = readHistogram(await stage.setup.worker.metrics(), GUARD_GAP_METRIC);
    const figures: BrakeFigures = {
      seconds: (Date.now() - at.getTime()) / 1000,
      accounts: outcomes.flatMap((each) => (each.kind === 'measured' ? [each.account] : [])),
      missed: outcomes.flatMap((each) => (each.kind === 'missed' ? [each.why] : [])),
      loopDelays: readDelays(stage.delays),
      guardGapP99: boundOfShare(gaps, 0.99),
    };
    return {
      ...{ kind: 'BrakeRun', at: at.toISOString(), machine: thisMachine(), parameters, figures },
    };
  } finally {
    await stage.close();
  }
}

/** So many at a time; the first ones begin one after the other, so that they are never in step. */
async function allRuns(
  { stageOf }: OpenStage,
  drawn: readonly DrawnRun[],
  together: number,
): Promise<readonly BrakeOutcome[]> {
  const waiting = [...drawn];
  const outcomes: BrakeOutcome[] = [];
  const workThrough = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await brakeRun(stageOf(next), next);
      outcomes.push(outcome);
      report(`${outcomes.length} of ${drawn.length}: ${outcomeText(next, outcome)}`);
    }
  };
  await Promise.all(Array.from({ length: together }, workThrough));
  return outcomes;
}

function outcomeText({ situation }: DrawnRun, outcome: BrakeOutcome): string {
  if (outcome.kind === 'missed') return `${situation}: ${outcome.why}`;
  const { phase, step, lastNewMs, lastNew, finishing, cures, closedMs, isStopped, end } =
    outcome.account;
  const last = lastNewMs === null ? 'nothing new' : `last new ${lastNewMs} ms (${lastNew})`;
  return [
    ...[`${situation} ${phase} ${step}`, last, `${finishing} finishing, ${cures} cures`],
    ...[`fence ${String(closedMs)} ms`, isStopped ? 'stopped' : `WENT ON: ${end}`],
  ].join(', ');
}

function tell({ out, docs }: BrakeOptions, record: BrakeRecord): number {
  appendBrakeRecord(out, record);
  const bars = brakeBars(record.figures);
  process.stdout.write(`${JSON.stringify(record)}\n\n${brakeTable(record.figures)}\n\n`);
  for (const { said, holds } of bars) {
    process.stdout.write(`${holds ? 'holds' : 'BROKEN'}  ${said}\n`);
  }
  if (docs !== null) writeSection(docs, SECTION, brakeSection(readBrakeRecords(out)));
  return bars.every(({ holds }) => holds) ? EXIT_CODES.reached : EXIT_CODES.checksFailed;
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
