import { access, chmod, constants, mkdir, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { judgeCli } from './server-version.js';
import type { Environment } from './process-environment.js';
import { cachedFileName } from './temporal-release.js';

/** The project's cache: outside every checkout, so that clones share one binary. */
export function cacheFolder(env: Environment): string {
  const own = env['CCM_MIGRATE_CACHE'];
  if (own !== undefined && own !== '') return own;
  const base = env['XDG_CACHE_HOME'];
  if (base !== undefined && base !== '') return join(base, 'ccm-migrate');
  return join(env['HOME'] ?? homedir(), '.cache', 'ccm-migrate');
}

/** Where the cached CLI of this platform is, whether it exists or not. */
export function cachedCliPath(env: Environment): string {
  return join(cacheFolder(env), cachedFileName(process.platform, process.arch));
}

export async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/**
 * Puts a new binary into the cache: `make` writes it to a temporary name beside its final path, it is run once, and
 * only then renamed. A reader never sees a partial file, and an interrupted `make` leaves nothing at the final path.
 */
export async function installIntoCache(
  env: Environment,
  make: (temporaryPath: string) => Promise<void>,
): Promise<string> {
  const place = cachedCliPath(env);
  const temporary = `${place}.${process.pid}.new`;
  await mkdir(cacheFolder(env), { recursive: true });
  try {
    await make(temporary);
    await chmod(temporary, 0o755);
    const verdict = await judgeCli(temporary, env);
    if (verdict.kind === 'unusable') throw new Error(verdict.why);
    await rename(temporary, place);
    return place;
  } finally {
    await rm(temporary, { force: true });
  }
}
