import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment } from '../cli.js';
import { member } from '../read-json.js';

const run = promisify(execFile);
const WITHIN_MS = 60_000;
/** A log without entries has no tiles yet, and not each one is stamped. */
const PARTS = ['tile', 'timestamp'];

/** Where git runs, and with which environment: that of the person, whose keys it pushes with. */
export interface GitFolder {
  readonly folder: string;
  readonly env: Environment;
}

/**
 * Commits what a log has written to the git repository that its folder is (in), and pushes that: a checkpoint counts once it is
 * where its writer cannot take it back.
 * @throws Error in plain words: git's own last line
 */
export async function publishLog({ folder, env }: GitFolder, message: string): Promise<void> {
  const git = gitIn({ folder, env });
  await git('add', '--', 'checkpoint', ...PARTS.filter((each) => existsSync(join(folder, each))));
  const { stdout } = await git('status', '--porcelain', '--untracked-files=no', '--', '.');
  if (stdout !== '') {
    // Tiles that were not whole are gone.
    await git('add', '--update', '--', '.');
    await git('commit', '--quiet', '--message', message, '--', '.');
  }
  await git('push', '--quiet');
}

type Git = (...words: readonly string[]) => Promise<{ readonly stdout: string }>;

/** Never asks for a password: it fails. */
function gitIn({ folder, env }: GitFolder): Git {
  const options = { cwd: folder, env: { ...env, GIT_TERMINAL_PROMPT: '0' }, timeout: WITHIN_MS };
  return (...words) =>
    run('git', [...words], options).catch((error: unknown) => {
      throw new Error(`git ${words[0] ?? ''} in ${folder}: ${lastLine(error)}`);
    });
}

function lastLine(error: unknown): string {
  const said = member(error, 'stderr');
  const last = typeof said === 'string' ? said.trim().split('\n').at(-1) : '';
  return last || 'it could not be started, or was not done within a minute';
}
