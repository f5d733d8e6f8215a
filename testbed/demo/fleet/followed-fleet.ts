import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Cli } from '../../../cli/cli.js';
import { compiledProgram } from '../../../devserver/package-files.js';
import { readFleetReport, type FleetReport } from './fleet-report.js';

const PAUSE_MS = 500;

/**
 * Every report of `status FLEET -w -o jsonl`, until the fleet is over or `signal` aborts. A follower that ends early is
 * started again: the processes it asks may be killed in between.
 */
export async function* fleetReports(
  cli: Cli,
  words: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FleetReport> {
  while (!signal.aborted) {
    for await (const report of reportsOf(cli, words, signal)) {
      yield report;
      if (isOver(report)) return;
    }
    await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
  }
}

export function isOver({ standing }: FleetReport): boolean {
  return standing === 'done' || standing === 'stopped';
}

async function* reportsOf(
  { env }: Cli,
  words: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<FleetReport> {
  const program = compiledProgram('cli', 'main.js');
  const child = spawn(process.execPath, [program, ...words, '-w', '-o', 'jsonl'], {
    env: { ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const end = (): void => void child.kill();
  signal.addEventListener('abort', end, { once: true });
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const report = reportIn(line);
      if (report !== null) yield report;
    }
  } finally {
    signal.removeEventListener('abort', end);
    child.kill();
  }
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
