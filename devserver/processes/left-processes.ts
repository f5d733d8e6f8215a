import { appendFileSync, readFileSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, processIdentity } from '../process-identity.js';

/** What `dev` starts, in the order in which it is ended: workers still write to their server. */
const NAMES = ['worker', 'server'] as const;

export type StartedName = (typeof NAMES)[number];

interface Started {
  readonly name: StartedName;
  /** Pid and start time: another process that got the pid later is another one. */
  readonly identity: string;
}

/** Start times count from the start of the machine, which this identifies. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

/** Notes a process as it starts; at once, because the next moment may be our last. */
export function noteStarted(file: string, name: StartedName, pid: number): void {
  const identity = processIdentity(pid);
  if (identity === null) return;
  appendFileSync(file, `${JSON.stringify({ boot: bootId(), name, identity })}\n`, { mode: 0o600 });
}

const STOP_WITHIN_MS = 15_000;
const POLL_EVERY_MS = 100;

/**
 * Ends what a killed process has left running, and forgets it. Only what is provably the one that was noted is touched; the pids of
 * others that may be it are returned.
 */
export async function endLeft(
  file: string,
  report: (line: string) => void,
): Promise<readonly number[]> {
  const left = (await startedIn(file)).filter(({ identity }) => isRunning(identity));
  const unproven = left.filter(({ identity }) => identity.endsWith(':')).map(pidOf);
  if (unproven.length > 0) return unproven;
  for (const name of NAMES) {
    const ending = left.filter((each) => each.name === name);
    await Promise.all(ending.map(async (each) => end(each, report)));
  }
  await rm(file, { force: true });
  return [];
}

/** Once everything has been stopped. */
export async function forgetStarted(file: string): Promise<void> {
  await rm(file, { force: true });
}

async function startedIn(file: string): Promise<readonly Started[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const boot = bootId();
  return text.split('\n').flatMap((line) => {
    const entry = entryIn(line);
    return entry?.boot === boot ? [entry] : [];
  });
}

/** Null for a line that was cut off. */
function entryIn(line: string): (Started & { readonly boot: string }) | null {
  const [, boot, name, identity] =
    /^\{"boot":"([\w-]*)","name":"(worker|server)","identity":"(\d+:\d*)"\}$/.exec(line) ?? [];
  if (boot === undefined || identity === undefined) return null;
  return { boot, name: name === 'server' ? 'server' : 'worker', identity };
}

function pidOf({ identity }: Started): number {
  return Number.parseInt(identity, 10);
}

async function end(left: Started, report: (line: string) => void): Promise<void> {
  const { name, identity } = left;
  const pid = pidOf(left);
  signal(pid, 'SIGTERM');
  const deadlineMs = Date.now() + STOP_WITHIN_MS;
  while (isRunning(identity) && Date.now() < deadlineMs) await sleep(POLL_EVERY_MS);
  if (isRunning(identity)) signal(pid, 'SIGKILL');
  while (isRunning(identity)) await sleep(POLL_EVERY_MS);
  report(`ended the ${name} (pid ${String(pid)}) that was left running in this folder`);
}

/** It may end by itself at any moment. */
function signal(pid: number, name: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}
