import { join } from 'node:path';
import { withProcessLock } from '../activities/evidence/process-lock.js';
import { privateFolder } from './private-folder.js';
import { WrongUsage } from './refusal.js';

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
      new WrongUsage(
        `${folder} is served already, by \`${verb}\` as ${owner}: stop that one, or name another folder with --state-dir`,
      ),
  });
}
