import { open } from 'node:fs/promises';
import type { SshAccess } from '../../../config/inventory.js';
import { errorCode } from '../../error-code.js';
import { failure } from '../../failures.js';
import { Secret } from '../secret.js';

/** How we authenticate to a node. */
export type Login =
  | { readonly kind: 'key'; readonly user: string; readonly key: Secret }
  | { readonly kind: 'agent'; readonly user: string; readonly socket: string };

/** A private key is a few kilobytes long. */
const MAX_BYTES = 64 * 1024;

/** The key is re-read for each connection, so a renewed one takes effect; no part of it appears in errors. */
export async function readLogin({ user, identityFile, agent }: SshAccess): Promise<Login> {
  if (agent !== undefined) return { kind: 'agent', user, socket: agent };
  if (identityFile === undefined) throw failure('Bug', 'neither identityFile nor agent is set');
  return { kind: 'key', user, key: new Secret(await privateText(identityFile)) };
}

async function privateText(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { mode, size } = await file.stat();
      if ((mode & 0o077) !== 0) {
        const shown = (mode & 0o777).toString(8).padStart(4, '0');
        throw refuse(path, `other users can read it (mode ${shown}): chmod 600 ${path}`);
      }
      if (size > MAX_BYTES) throw refuse(path, 'it is too long for a private key');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === '') throw error;
    throw refuse(path, `it cannot be read (${errorCode(error)})`);
  }
}

function refuse(path: string, why: string): Error {
  return failure('InvalidInput', `nodeAccess.identityFile ${path}: ${why}`);
}
