import { randomUUID } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode, failure } from '../failures.js';
import { nativeDigest } from '../native-digest.js';
import { makeFolderOf, syncFolder } from './run-file.js';

/** Beside a run's chain: one file for each text, named after its digest. */
export function textsFolder(runFile: string): string {
  return runFile.replace(/\.jsonl$/, '.texts');
}

/** Keeps a text on stable storage, readable by its owner only. A full disk is `Unavailable`. */
export async function keepText(folder: string, text: string): Promise<void> {
  const file = join(folder, nameOf(nativeDigest(text)));
  const unfinished = `${file}.${randomUUID()}`;
  try {
    if ((await textIn(file)) === text) return;
    await makeFolderOf(file);
    const handle = await open(unfinished, 'wx', 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(unfinished, file);
    await syncFolder(dirname(file));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    throw failure('Unavailable', `${file} cannot be written: ${codeOf(error)}`, { cause: error });
  }
}

/** Null for one that is not there, or was changed; one that cannot be read now is `Unavailable`. */
export async function keptText(folder: string, digest: string): Promise<string | null> {
  const file = join(folder, nameOf(digest));
  try {
    const text = await textIn(file);
    return text !== null && nativeDigest(text) === digest ? text : null;
  } catch (error) {
    throw failure('Unavailable', `${file} is not readable: ${codeOf(error)}`, { cause: error });
  }
}

/** In bytes. Larger than the list of any cluster that Kubernetes supports (5,000 Nodes, 10,000 Services: about 5 MB). */
export const LONGEST_TEXT = 64 * 1024 * 1024;

/** Null for no file, and for one that is too large to be ours. */
async function textIn(file: string): Promise<string | null> {
  try {
    return (await stat(file)).size > LONGEST_TEXT ? null : await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Digests come from histories, which others may write: anything but hex digits would be a path of their choice. */
function nameOf(digest: string): string {
  return `${hexOf(digest)}.txt`;
}

/** The hex digits of a digest. @throws `InvalidInput` for a text that is none */
export function hexOf(digest: string): string {
  const hex = /^sha256:([0-9a-f]{64})$/.exec(digest)?.[1];
  if (hex === undefined) throw failure('InvalidInput', `${digest.slice(0, 80)} is no digest`);
  return hex;
}

function codeOf(error: unknown): string {
  return errorCode(error) || String(error);
}
