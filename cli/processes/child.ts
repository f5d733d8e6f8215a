import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Environment } from '../cli.js';

export interface ChildSpec {
  /** For messages: `worker`, `simulator`. */
  readonly name: string;
  /** Compiled program of ours, run by this Node. */
  readonly program: string;
  readonly arguments: readonly string[];
  readonly env: Environment;
  /** Everything it prints is appended here. */
  readonly logFile: string;
  /** Whether it lives on when this process ends. */
  readonly outlivesUs?: boolean;
}

export interface Child {
  readonly name: string;
  readonly pid: number;
  readonly logFile: string;
  /** The exit code or signal, once it has ended. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** First line of its stdout that `match` takes; rejects when it ends before. */
  line<T>(match: (line: string) => T | null, withinMs: number): Promise<T>;
  /** Gently first, then by force. Does nothing when it has ended already. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 15_000;

/** Starts one of our programs as a process of its own, its output in a log file. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  await mkdir(dirname(spec.logFile), { recursive: true });
  const child = spawn(process.execPath, [spec.program, ...spec.arguments], {
    env: { ...spec.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // An interactive Ctrl-C goes to the whole foreground group; children are stopped by us, in order.
    detached: true,
  });
  const { pid } = child;
  if (pid === undefined) {
    await once(child, 'error').catch(() => undefined);
    throw new Error(`${spec.name} cannot be started: ${spec.program}`);
  }
  return watched(spec, child, pid);
}

function watched(spec: ChildSpec, child: ChildProcess, pid: number): Child {
  let over = false;
  const log = createWriteStream(spec.logFile, { flags: 'a' });
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      log.write(`${line}\n`);
      if (lines.length < 1000) lines.push(line);
      for (const take of [...waiting]) take(line);
    });
  }
  child.stderr?.on('data', (chunk: Buffer) => log.write(chunk));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      over = true;
      log.end();
      resolve(signal ?? `exit ${String(code)}`);
    });
  });
  if (spec.outlivesUs !== true) killWithUs(child, ended);
  return {
    name: spec.name,
    pid,
    logFile: spec.logFile,
    ended,
    hasEnded: () => over,
    line: (match, withinMs) => awaitLine(spec, { match, lines, waiting, ended, withinMs }),
    stop: () => stopChild(child, ended, () => over),
  };
}

function killWithUs(child: ChildProcess, ended: Promise<string>): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  void ended.then(() => process.removeListener('exit', kill));
}

interface LineWait<T> {
  readonly match: (line: string) => T | null;
  readonly lines: readonly string[];
  readonly waiting: Set<(line: string) => void>;
  readonly ended: Promise<string>;
  readonly withinMs: number;
}

async function awaitLine<T>(spec: ChildSpec, wait: LineWait<T>): Promise<T> {
  for (const line of wait.lines) {
    const found = wait.match(line);
    if (found !== null) return found;
  }
  return new Promise<T>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      wait.waiting.delete(take);
      settle();
    };
    const take = (line: string): void => {
      const found = wait.match(line);
      if (found !== null) finish(() => resolve(found));
    };
    const fail = (why: string): void => {
      finish(() => reject(new Error(`${spec.name} ${why}; its log: ${spec.logFile}`)));
    };
    const timer = setTimeout(() => fail(`was not ready within ${wait.withinMs} ms`), wait.withinMs);
    wait.waiting.add(take);
    void wait.ended.then((how) => fail(`ended at once (${how})`));
  });
}

async function stopChild(
  child: ChildProcess,
  ended: Promise<string>,
  hasEnded: () => boolean,
): Promise<void> {
  if (hasEnded()) return;
  child.kill('SIGTERM');
  const patience = new AbortController();
  const late = sleep(STOP_WITHIN_MS, 'late', { signal: patience.signal }).catch(() => 'gone');
  const first = await Promise.race([ended, late]);
  patience.abort();
  if (first !== 'late') return;
  child.kill('SIGKILL');
  await ended;
}
