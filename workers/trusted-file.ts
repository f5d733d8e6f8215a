import type { Stats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { unreadable } from '../config/read-documents.js';
import { openRegular } from '../config/regular-file.js';

/** A file that the rights of people rest on. */
export interface TrustedFile<Content> {
  readonly path: string;
  /** In bytes. */
  readonly most: number;
  /** Throws an Error in plain words, without the path. */
  readonly parse: (bytes: Buffer) => Content;
  /** Is added to the error where there is none. */
  readonly ifMissing?: string;
  /** Waits between two readings of a file that has changed. */
  readonly rest: () => Promise<unknown>;
}

const WRITABLE_BY_OTHERS = 0o022;
const SETTLES_MS = 1000;
const MOST_READINGS = 10;

/** Longer than the pauses of a program that writes a file of this size. */
export const untilUnchanged = (): Promise<unknown> => sleep(SETTLES_MS);

/**
 * Reads a file that no other user may write: the same object again for as long as it has not changed. What has changed counts
 * once it stays as it is: half of a file that is written in place can read as another one, without its last `revoked: true`.
 * It throws an Error in plain words.
 */
export function trustedFile<Content>(of: TrustedFile<Content>): () => Promise<Content> {
  let known: Known<Content> | null = null;
  return async () => {
    let last = await snapshotOf(of, known?.stamp);
    for (let readings = 1; readings < MOST_READINGS; readings += 1) {
      if (last.stamp === known?.stamp) return known.content;
      await of.rest();
      const next = await snapshotOf(of, known?.stamp);
      if (next.stamp === last.stamp) {
        known = { stamp: last.stamp, content: parsed(of, last.bytes) };
        return known.content;
      }
      last = next;
    }
    throw new Error(`${of.path}: it is being written; write another file and rename it over this`);
  };
}

interface Known<Content> {
  readonly stamp: string;
  readonly content: Content;
}

interface Snapshot {
  readonly stamp: string;
  /** Empty where the file is as it is known. */
  readonly bytes: Buffer;
}

/** Opened once, so that what is checked is what is read. */
async function snapshotOf(
  { path, most, ifMissing = '' }: Omit<TrustedFile<unknown>, 'parse'>,
  known: string | undefined,
): Promise<Snapshot> {
  const file = await openRegular(path).catch((error: unknown) => {
    throw new Error(`${path}: ${unreadable(error)}${ifMissing}`);
  });
  try {
    const stamp = await checkedStamp(file, path, most);
    return { stamp, bytes: stamp === known ? Buffer.alloc(0) : await file.readFile() };
  } finally {
    await file.close();
  }
}

async function checkedStamp(file: FileHandle, path: string, most: number): Promise<string> {
  const found = await file.stat();
  refuseOthers(path, found);
  if (found.size > most) throw new Error(`${path}: larger than ${String(most / 1024)} KiB`);
  return changeStamp(found);
}

/** Whether others than its owner may write it. */
export function isWritableByOthers({ mode }: Pick<Stats, 'mode'>): boolean {
  return (mode & WRITABLE_BY_OTHERS) !== 0;
}

/** @throws Error in plain words where another user may have written it */
export function refuseOthers(path: string, found: Pick<Stats, 'mode' | 'uid'>): void {
  if (isWritableByOthers(found)) throw new Error(`${path}: others may write it: chmod 0644`);
  if (found.uid !== 0 && found.uid !== process.getuid?.()) {
    throw new Error(`${path}: it belongs to another user: chown root`);
  }
}

/** What differs after each change of a file. */
export function changeStamp({ ino, dev, size, mtimeMs, ctimeMs }: Stats): string {
  return [dev, ino, size, mtimeMs, ctimeMs].join();
}

function parsed<Content>(
  { path, parse }: Pick<TrustedFile<Content>, 'path' | 'parse'>,
  bytes: Buffer,
): Content {
  try {
    return parse(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new Error(`${path}: ${why}`, { cause });
  }
}
