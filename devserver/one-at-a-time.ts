import { readFile, rm, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from './failure-reason.js';
import type { Report } from './temporal-release.js';

const POLL_EVERY_MS = 500;

/**
 * Runs `work` while holding a lock file, so that two demos on a fresh machine do not both build for five minutes. A
 * lock whose process no longer exists is taken over. If two processes take it over at the same instant both work, which
 * only costs time: the result is installed by rename.
 */
export async function oneAtATime<T>(
  lockPath: string,
  report: Report,
  work: () => Promise<T>,
): Promise<T> {
  await acquire(lockPath, report);
  try {
    return await work();
  } finally {
    await rm(lockPath, { force: true });
  }
}

async function acquire(lockPath: string, report: Report): Promise<void> {
  let told = false;
  while (!(await tryCreate(lockPath))) {
    const holder = await holderOf(lockPath);
    if (holder === 'gone') continue;
    if (!isAlive(holder)) {
      await rm(lockPath, { force: true });
      continue;
    }
    if (!told) report(`waiting for process ${holder}, which is already preparing the Temporal CLI`);
    told = true;
    await sleep(POLL_EVERY_MS);
  }
}

async function tryCreate(lockPath: string): Promise<boolean> {
  try {
    await writeFile(lockPath, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process id in the lock; an empty lock is still being written: read it again. */
async function holderOf(lockPath: string): Promise<number | 'gone'> {
  const text = await readFile(lockPath, 'utf8').catch(() => null);
  if (text === null) return 'gone';
  if (text !== '') return Number(text);
  await sleep(POLL_EVERY_MS);
  const again = await readFile(lockPath, 'utf8').catch(() => null);
  return again === null ? 'gone' : Number(again);
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemErrorCode(error) === 'EPERM';
  }
}
