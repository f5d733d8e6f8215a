import { link, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode, failure } from '../failures.js';

interface LockOwner {
  readonly host: string;
  readonly pid: number;
  /** Start time in /proc, so that a reused process id is not taken for the owner; empty where there is no /proc. */
  readonly started: string;
}

/** Held for milliseconds; an owner on another host (a shared volume) cannot be checked, only waited for. */
const FOREIGN_MAX_AGE_MS = 30_000;
const WAIT_MS = 10_000;
const POLL_MS = 15;

/** How long to wait for a lock that another process holds, and what to throw then. */
export interface LockPatience {
  readonly waitMs: number;
  readonly held: (path: string, owner: string) => Error;
}

const PATIENCE: LockPatience = {
  waitMs: WAIT_MS,
  held: (path, owner) => failure('Unavailable', `${path} is held by ${owner}: is it stopped?`),
};

let count = 0;

/**
 * Runs `act` as the only process that holds `path`. A lock whose owner is gone is taken over: its process
 * no longer exists, or it is of another host and older than any honest use.
 */
export async function withProcessLock<T>(
  path: string,
  act: () => Promise<T>,
  patience: LockPatience = PATIENCE,
): Promise<T> {
  await acquire(path, patience);
  try {
    return await act();
  } finally {
    await unlink(path).catch(ignoreMissing);
  }
}

async function acquire(path: string, { waitMs, held }: LockPatience): Promise<void> {
  const ends = performance.now() + waitMs;
  while (!(await tryAcquire(path))) {
    if (await isAbandoned(path)) {
      await removeStale(path);
    } else if (performance.now() > ends) {
      throw held(path, await ownerText(path));
    } else {
      await delay(POLL_MS);
    }
  }
}

/** link(2) creates the lock with its content atomically, so an incomplete one is never read. */
async function tryAcquire(path: string): Promise<boolean> {
  count += 1;
  const own = `${path}.${String(process.pid)}.${String(count)}`;
  const { host, pid, started } = await thisProcess();
  await writeFile(own, JSON.stringify({ host, pid, started }), { mode: 0o600 });
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    return false;
  } finally {
    await unlink(own).catch(ignoreMissing);
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return false;
  const owner = parseOwner(text);
  if (owner?.host === hostname()) return isGone(owner);
  const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Infinity }));
  return Date.now() - mtimeMs > FOREIGN_MAX_AGE_MS;
}

async function isGone(owner: LockOwner): Promise<boolean> {
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    return errorCode(error) === 'ESRCH';
  }
  return owner.started !== '' && owner.started !== (await startOf(owner.pid));
}

/** Two processes may judge the same lock; one that moved a live lock away puts it back. */
async function removeStale(path: string): Promise<void> {
  count += 1;
  const aside = `${path}.abandoned.${String(process.pid)}.${String(count)}`;
  try {
    await rename(path, aside);
  } catch (error) {
    ignoreMissing(error);
    return;
  }
  if (!(await isAbandoned(aside))) await link(aside, path).catch(() => undefined);
  await unlink(aside).catch(ignoreMissing);
}

async function thisProcess(): Promise<LockOwner> {
  return { host: hostname(), pid: process.pid, started: await startOf(process.pid) };
}

/** Field 22 of /proc/PID/stat, counted after the command name, which may hold spaces. Source: proc(5) */
async function startOf(pid: number): Promise<string> {
  const text = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function parseOwner(text: string): LockOwner | null {
  try {
    const value: unknown = JSON.parse(text);
    return isOwner(value) ? value : null;
  } catch {
    return null;
  }
}

function isOwner(value: unknown): value is LockOwner {
  return (
    typeof value === 'object' &&
    value !== null &&
    'host' in value &&
    typeof value.host === 'string' &&
    'pid' in value &&
    typeof value.pid === 'number' &&
    value.pid > 0 &&
    'started' in value &&
    typeof value.started === 'string'
  );
}

async function ownerText(path: string): Promise<string> {
  const owner = parseOwner(await readFile(path, 'utf8').catch(() => ''));
  return owner === null ? 'an unknown process' : `process ${String(owner.pid)} on ${owner.host}`;
}

function ignoreMissing(error: unknown): void {
  if (errorCode(error) !== 'ENOENT') throw error;
}
