import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withProcessLock } from '../activities/evidence/process-lock.js';
import { UsageError } from './cli-error.js';

const OTHERS = 0o077;

/**
 * A folder for state of ours: databases, evidence and logs tell about control planes, so nobody else on the machine may
 * read them. One that is there is closed to others.
 * @throws WrongUsage when it belongs to another user, who could put anything there
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
 * Runs `act` as the only process that serves a folder of ours, which is made where it is missing: two would write one
 * database, and each would take the other's files for its own.
 * @throws WrongUsage at once when another one does
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
