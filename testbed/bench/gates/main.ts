import { Worker } from 'node:worker_threads';
import { EXIT_CODES } from '../../../cli/exit-status.js';
import { thisMachine } from '../bench-machine.js';
import { refuseOverwriting } from '../output-options.js';
import { writeSection } from '../page-section.js';
import type { BadFigures } from './bad-windows.js';
import { gateTasks, type GateTask } from './bench-rows.js';
import { judgeBrokenAnswers } from './broken-figures.js';
import { gateBars } from './gate-bars.js';
import { joinedBad, joinedGood, type GateFigures } from './gate-figures.js';
import { GATE_BENCH_HELP, readGateOptions, type GateBenchOptions } from './gate-options.js';
import { gateSection, gateTables } from './gate-page.js';
import { appendGateRecord, readGateRecords, type GateRecord } from './gate-records.js';
import type { GoodFigures } from './good-runs.js';

const SECTION = 'gates that count events';
const THREADS = 2;

type TaskFigures = GoodFigures | BadFigures;

/** `npm run bench -- gates`; returns the exit code. */
export async function gateBench(words: readonly string[]): Promise<number> {
  let options: GateBenchOptions;
  try {
    options = readGateOptions(words);
    if (!options.help) refuseOverwriting(options);
  } catch (error) {
    report(error instanceof Error ? error.message : String(error));
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(GATE_BENCH_HELP);
    return EXIT_CODES.reached;
  }
  try {
    return tell(options, await measured(options));
  } catch (error) {
    report(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return EXIT_CODES.failed;
  }
}

async function measured({ seed, quick }: GateBenchOptions): Promise<GateRecord> {
  report(`seed ${seed}`);
  const at = new Date();
  const waiting = [...gateTasks(seed, quick)];
  const [broken, ...done] = await Promise.all([
    // Answers that hang are waited for meanwhile.
    judgeBrokenAnswers(at.getTime()),
    ...Array.from({ length: THREADS }, () => workThrough(waiting)),
  ]);
  const parts = done.flat();
  const figures: GateFigures = {
    seconds: (Date.now() - at.getTime()) / 1000,
    good: joinedGood(parts.filter((each) => 'hours' in each)),
    bad: joinedBad(parts.filter((each) => 'row' in each)),
    broken,
  };
  return { kind: 'GateRun', at: at.toISOString(), machine: thisMachine(), seed, quick, figures };
}

/** One thread takes task after task. */
async function workThrough(waiting: GateTask[]): Promise<readonly TaskFigures[]> {
  const thread = new Worker(new URL('./gate-thread.js', import.meta.url));
  const figures: TaskFigures[] = [];
  try {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      figures.push(await answered(thread, task));
      report(`${waiting.length} tasks wait`);
    }
    return figures;
  } finally {
    await thread.terminate();
  }
}

function answered(thread: Worker, task: GateTask): Promise<TaskFigures> {
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
    thread.postMessage(task);
  });
}

function tell({ out, docs }: GateBenchOptions, record: GateRecord): number {
  appendGateRecord(out, record);
  const bars = gateBars(record.figures);
  process.stdout.write(`${JSON.stringify(record)}\n\n${gateTables(record.figures)}\n\n`);
  for (const { said, holds } of bars)
    process.stdout.write(`${holds ? 'holds' : 'BROKEN'}  ${said}\n`);
  if (docs !== null) writeSection(docs, SECTION, gateSection(readGateRecords(out)));
  return bars.every(({ holds }) => holds) ? EXIT_CODES.reached : EXIT_CODES.checksFailed;
}

function report(line: string): void {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${line}\n`);
}
