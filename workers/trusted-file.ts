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
}

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Reads a file that no other user may write: the same object again for as long as it has not changed. It throws an Error in
 * plain words.
 */
export function trustedFile<Content>({
  path,
  most,
  parse,
  ifMissing = '',
}: TrustedFile<Content>): () => Promise<Content> {
  let known: { readonly stamp: string; readonly content: Content } | null = null;
  return async () => {
    // Opened once, so that what is checked is what is read.
    const file = await openRegular(path).catch((error: unknown) => {
      throw new Error(`${path}: ${unreadable(error)}${ifMissing}`);
    });
    try {
      const { ino, dev, size, mtimeMs, ctimeMs, mode, uid } = await file.stat();
      if ((mode & WRITABLE_BY_OTHERS) !== 0) {
        throw new Error(`${path}: others may write it: chmod 0644`);
      }
      if (uid !== 0 && uid !== process.getuid?.()) {
        throw new Error(`${path}: it belongs to another user: chown root`);
      }
      if (size > most) throw new Error(`${path}: larger than ${String(most / 1024)} KiB`);
      const stamp = [dev, ino, size, mtimeMs, ctimeMs].join();
      if (stamp === known?.stamp) return known.content;
      const content = parsed(path, await file.readFile(), parse);
      known = { stamp, content };
      return content;
    } finally {
      await file.close();
    }
  };
}

function parsed<Content>(path: string, bytes: Buffer, parse: (bytes: Buffer) => Content): Content {
  try {
    return parse(bytes);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'it cannot be read';
    throw new Error(`${path}: ${why}`, { cause });
  }
}
