import { homedir } from 'node:os';
import { join } from 'node:path';

/** The environment of a process; entry points pass it in. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Below it each lab has a folder named by its number, which is the lab: claimed by rename, removed with the lab. Not
 * below /var or /etc, because nodes overlay those, and a file system cannot be a layer above itself.
 */
export const STATE_ROOT = '/srv/ccm-migrate-lab';

export function stateFolder(lab: number): string {
  return join(STATE_ROOT, String(lab));
}

/** Private key of the client that may log in to every node of a lab. */
export function sshKeyFile(lab: number): string {
  return join(stateFolder(lab), 'ssh', 'client_key');
}

/** Binaries and images: outside every checkout, so that clones share them. */
export function cacheFolder(env: Environment): string {
  const own = env['CCM_MIGRATE_CACHE'];
  if (own !== undefined && own !== '') return join(own, 'lab');
  const base = env['XDG_CACHE_HOME'];
  if (base !== undefined && base !== '') return join(base, 'ccm-migrate', 'lab');
  return join(env['HOME'] ?? homedir(), '.cache', 'ccm-migrate', 'lab');
}
