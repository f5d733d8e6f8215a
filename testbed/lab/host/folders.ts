import { join } from 'node:path';
import { cacheFolder } from '../../../devserver/cache.js';
import type { Environment } from '../../../devserver/process-environment.js';

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
export function labCacheFolder(env: Environment): string {
  return join(cacheFolder(env), 'lab');
}
