import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '../../../cli/cli.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { readFleetReport, type FleetReport } from './fleet-report.js';

const TICK_MS = 500;
/** A follower also ends where nothing goes on without a person. */
const ASK_AGAIN_MS = 1_000;

/**
 * The newest report of `status FLEET -w -o jsonl` at every tick, until the fleet is over or `signal` aborts: what the demo
 * does is due between two reports too.
 */
export async function* fleetReports(
  cli: Cli,
  words: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FleetReport> {
  const ending = new AbortController();
  const ends = AbortSignal.any([signal, ending.signal]);
  const seen: FleetReport[] = [];
  const reading = readReports(cli, words, ends, (report) => {
    seen.push(report);
  });
  try {
    while (!signal.aborted) {
      await sleep(TICK_MS, undefined, { signal }).catch(() => undefined);
      const newest = seen.at(-1);
      if (newest === undefined) continue;
      yield newest;
      if (isOver(newest)) return;
    }
  } finally {
    ending.abort();
    await reading;
  }
}

export function isOver({ standing }: FleetReport): boolean {
  return standing === 'done' || standing === 'stopped';
}

/** A follower that ends is started again: it also ends when a process that it asks is killed. */
async function readReports(
  cli: Cli,
  words: readonly string[],
  signal: AbortSignal,
  take: (report: FleetReport) => void,
): Promise<void> {
  while (!signal.aborted) {
    await readOnce(cli, words, signal, take);
    await sleep(ASK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function readOnce(
  { env }: Cli,
  words: readonly string[],
  signal: AbortSignal,
  take: (report: FleetReport) => void,
): Promise<void> {
  const program = compiledProgram('cli', 'main.js');
  const child = spawn(process.execPath, [program, ...words, '-w', '-o', 'jsonl'], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = (): void => void child.kill();
  signal.addEventListener('abort', end, { once: true });
  for await (const line of createInterface({ input: child.stdout })) {
    const report = reportIn(line);
    if (report !== null) take(report);
  }
  signal.removeEventListener('abort', end);
}

/** The first record of a stream names its schema; only those of the fleet have a standing. */
function reportIn(line: string): FleetReport | null {
  try {
    const report = readFleetReport(JSON.parse(line) as unknown);
    return report.standing === '' ? null : report;
  } catch {
    return null;
  }
}
