import { EXIT_CODES } from '../../../cli/exit-status.js';
import { refuseOverwriting } from '../output-options.js';
import { LabUnavailable } from '../../lab/host/lab-unavailable.js';
import { writeDocs } from './docs-page.js';
import { BENCH_HELP, readOptions, type Options } from './bench-options.js';
import { appendRecord, readRecords } from './records.js';
import { runPlans } from './run-plans.js';
import { scheduleOf } from './schedule.js';
import { summaries } from './summary.js';
import { ROWS } from './rows.js';
import { figuresTable } from './figures-table.js';
import { verdictOn } from './verdict.js';

/** `npm run bench -- handover --lab`; returns the exit code. */
export async function handoverOnLab(words: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(words);
    if (options.runs > 0) refuseOverwriting(options);
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
    return EXIT_CODES.usage;
  }
  if (options.help) {
    process.stdout.write(BENCH_HELP);
    return EXIT_CODES.reached;
  }
  const signal = interruption();
  const failure = await runAll(options, signal);
  if (failure !== null) process.stderr.write(`bench: ${failure}\n`);
  const code = tell(options);
  if (signal.aborted) return EXIT_CODES.interrupted;
  return failure === null ? code : EXIT_CODES.failed;
}

/** The first signal stops the run and its lab; after a second one the lab's watchdog cleans up. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(EXIT_CODES.interrupted);
      process.stderr.write('bench: interrupted; removing the lab\n');
      controller.abort(new Error(`received ${signal}`));
    });
  }
  return controller.signal;
}

/** Null when every run was made; failed runs are in the file. */
async function runAll(options: Options, signal: AbortSignal): Promise<string | null> {
  const { out, rows, runs } = options;
  const known = readRecords(out);
  const done = ({ name }: { readonly name: string }): number =>
    Math.max(0, ...known.filter(({ row }) => row === name).map(({ run }) => run));
  try {
    await runPlans(scheduleOf(rows, runs, done), {
      ...{ env: process.env, signal },
      report: (line) => void process.stderr.write(`${clock()} ${line}\n`),
      keep: (record) => appendRecord(out, record),
    });
    return null;
  } catch (error) {
    if (signal.aborted || error instanceof LabUnavailable || !(error instanceof Error))
      return error instanceof Error ? error.message : String(error);
    return error.stack ?? error.message;
  }
}

function clock(): string {
  return new Date().toISOString().slice(11, 19);
}

/** Prints the table and the verdict over everything in the file. */
function tell({ out, docs }: Options): number {
  const records = readRecords(out);
  const { kind, said } = verdictOn(records);
  process.stdout.write(`${figuresTable(summaries(ROWS, records))}\n\n${said.join('\n')}\n`);
  if (docs !== null) writeDocs(docs, records);
  switch (kind) {
    case 'holds':
      return EXIT_CODES.reached;
    case 'fails':
      return EXIT_CODES.checksFailed;
    case 'open':
      return EXIT_CODES.inconclusive;
  }
}
