import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../process-environment.js';
import { hasExited, stopProcess } from '../stop-process.js';

export interface ChildSpec {
  /** For messages: `worker`, `simulator`. */
  readonly name: string;
  /** One of our compiled programs, run by this Node. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Environment;
  /** All its output is appended here. */
  readonly logFile: string;
  /** Whether it outlives this process. */
  readonly outlivesUs?: boolean;
  /** Whether it exits when its standard input is closed: it then ends with us, however we end. */
  readonly endsWithInput?: boolean;
  /** How long it may take to exit on SIGTERM; then it is killed. */
  readonly stopWithinMs?: number;
}

/** What the starter of any of our programs decides. */
export type ChildLaunch = Required<Pick<ChildSpec, 'logFile' | 'env' | 'outlivesUs'>>;

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** The exit code or signal, once it has ended. */
  readonly ended: Promise<string>;
  /** First line of output accepted by `match`; rejects when the process ends or the time is over first. */
  line<T>(match: (line: string) => T | null, withinMs: number): Promise<T>;
  /** SIGTERM first, then SIGKILL. Does nothing when it has already ended. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 15_000;
const POLL_EVERY_MS = 50;

/**
 * Starts one of our programs as a separate process. It writes directly to its log: with a pipe to us it would die with
 * us, and some children must outlive us.
 */
export async function startChild(spec: ChildSpec): Promise<Child> {
  await mkdir(dirname(spec.logFile), { recursive: true });
  const from = await stat(spec.logFile).then(
    ({ size }) => size,
    () => 0,
  );
  const child = spawnLogged(spec);
  const { pid } = child;
  if (pid === undefined) {
    await once(child, 'error').catch(() => undefined);
    throw new Error(`${spec.name} cannot be started: ${spec.program}`);
  }
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${String(code)}`));
  });
  if (spec.outlivesUs === true) child.unref();
  else killWithUs(child, ended);
  return {
    name: spec.name,
    pid,
    logFile: spec.logFile,
    ended,
    line: (match, withinMs) => awaitLine({ spec, child, from, withinMs, match }),
    stop: () => stopProcess(child, spec.stopWithinMs ?? STOP_WITHIN_MS),
  };
}

function spawnLogged(spec: ChildSpec): ChildProcess {
  const log = openSync(spec.logFile, 'a', 0o600);
  try {
    return spawn(process.execPath, [spec.program, ...spec.arguments], {
      env: { ...spec.env },
      stdio: [spec.endsWithInput === true ? 'pipe' : 'ignore', log, log],
      // An interactive Ctrl-C goes to the whole foreground group; children are stopped by us, in order.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
}

function killWithUs(child: ChildProcess, ended: Promise<string>): void {
  const kill = (): void => void child.kill('SIGKILL');
  // Before those who delete what it writes.
  process.prependOnceListener('exit', kill);
  void ended.then(() => process.removeListener('exit', kill));
}

interface LineWait<T> {
  readonly spec: ChildSpec;
  readonly child: ChildProcess;
  /** Size of the log before this start. */
  readonly from: number;
  readonly withinMs: number;
  readonly match: (line: string) => T | null;
}

async function awaitLine<T>({ spec, child, from, withinMs, match }: LineWait<T>): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  for (;;) {
    const over = hasExited(child);
    const log = (await readFile(spec.logFile)).subarray(from).toString('utf8');
    for (const line of log.split('\n').slice(0, -1)) {
      const found = match(line);
      if (found !== null) return found;
    }
    if (over) throw new Error(`${spec.name} ended at once; last line of its log: ${lastLine(log)}`);
    if (Date.now() > deadlineMs) {
      throw new Error(`${spec.name} was not ready within ${withinMs} ms; its log: ${spec.logFile}`);
    }
    await sleep(POLL_EVERY_MS);
  }
}

function lastLine(log: string): string {
  return log.trim().split('\n').at(-1) ?? '';
}
