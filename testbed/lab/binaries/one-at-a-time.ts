import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRunning, thisProcess } from '../lifecycle/process-identity.js';

const POLL_EVERY_MS = 500;

/**
 * Runs `work` while holding a lock file, so that two labs on a fresh machine do not both build for minutes. A lock
 * whose process has ended is taken over. If two processes take it over at the same instant, both build; that costs
 * only time, because the result is installed by rename.
 */
export async function oneAtATime<T>(
  lockFile: string,
  report: (line: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  mkdirSync(dirname(lockFile), { recursive: true });
  let told = false;
  while (!tryCreate(lockFile)) {
    const holder = holderOf(lockFile);
    if (holder !== null && !isRunning(holder)) {
      rmSync(lockFile, { force: true });
      continue;
    }
    if (!told) report(`waiting: another process is building (its lock: ${lockFile})`);
    told = true;
    await sleep(POLL_EVERY_MS);
  }
  try {
    return await work();
  } finally {
    rmSync(lockFile, { force: true });
  }
}

function tryCreate(lockFile: string): boolean {
  try {
    writeFileSync(lockFile, thisProcess(), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Null while it is being written, or when it was just removed. */
function holderOf(lockFile: string): string | null {
  try {
    const text = readFileSync(lockFile, 'utf8');
    return text === '' ? null : text;
  } catch {
    return null;
  }
}
