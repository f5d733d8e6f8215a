import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withProcessLock } from '../activities/evidence/process-lock.js';
import { UsageError } from './cli-error.js';

const OTHERS = 0o077;

/**
 * Creates a folder for our state that only this user can read: databases, evidence and logs describe control planes. An
 * existing one is made private.
 * @throws UsageError when it belongs to another user, who could replace its content
 */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(path);
  if (uid !== process.getuid?.()) {
    throw new UsageError(
      `${path} belongs to another user (uid ${String(uid)}): name a folder of your own with --state-dir`,
    );
  }
  if ((mode & OTHERS) !== 0) await chmod(path, mode & ~OTHERS);
}

/**
 * Runs `act` as the only process that serves our state folder, created when missing: two processes would write one
 * database and mistake each other's files for their own.
 * @throws UsageError at once when another process serves it
 */
export async function aloneInFolder<T>(
  folder: string,
  verb: 'dev' | 'simulator',
  act: () => Promise<T>,
): Promise<T> {
  await privateFolder(folder);
  return withProcessLock(join(folder, `${verb}.lock`), act, {
    waitMs: 0,
    held: (_path, owner) =>
      new UsageError(
        `${folder} is served already, by \`${verb}\` as ${owner}: stop that one, or name another folder with --state-dir`,
      ),
  });
}
