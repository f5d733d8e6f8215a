import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { systemErrorCode } from './failure-reason.js';
import { isRunning, thisProcess } from './process-identity.js';
import type { Report } from './temporal-release.js';

const POLL_EVERY_MS = 500;

/**
 * Runs `work` while holding a lock file, so that two demos on a fresh machine do not both build for five minutes. A
 * lock whose process no longer exists is taken over. If two processes take it over at the same instant both work, which
 * only costs time: the result is installed by rename.
 */
export async function oneAtATime<T>(
  lockFile: string,
  report: Report,
  work: () => Promise<T>,
): Promise<T> {
  await acquire(lockFile, report);
  try {
    return await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}

async function acquire(lockFile: string, report: Report): Promise<void> {
  await mkdir(dirname(lockFile), { recursive: true });
  let reported = false;
  while (!(await tryCreate(lockFile))) {
    const holder = await holderOf(lockFile);
    if (holder === 'gone') continue;
    if (!isRunning(holder)) {
      await rm(lockFile, { force: true });
      continue;
    }
    const pid = Number.parseInt(holder, 10);
    if (!reported)
      report(`waiting for process ${pid}, which is already doing this (its lock: ${lockFile})`);
    reported = true;
    await sleep(POLL_EVERY_MS);
  }
}

async function tryCreate(lockFile: string): Promise<boolean> {
  try {
    await writeFile(lockFile, thisProcess(), { flag: 'wx' });
    return true;
  } catch (error) {
    if (systemErrorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** The process that wrote the lock; an empty lock is still being written: read it again. */
async function holderOf(lockFile: string): Promise<string> {
  const read = (): Promise<string> => readFile(lockFile, 'utf8').catch(() => 'gone');
  const text = await read();
  if (text !== '') return text;
  await sleep(POLL_EVERY_MS);
  return read();
}
