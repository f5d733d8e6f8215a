import { readSmallFile } from './small-file.js';

const LARGEST_BYTES = 64 * 1024;
const EVERY_MS = 5_000;

/** The token in a file, which holds nothing else. @throws Error in plain words; it never quotes the file */
export async function readToken(path: string): Promise<string> {
  const what = `token file ${path}`;
  const token = (await readSmallFile(what, path, LARGEST_BYTES)).trim();
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(`${what}: it must hold one token, and nothing else`);
}

/** What becomes of a token that changes. */
export interface TokenUse {
  /** The one in use now. */
  readonly first: string;
  readonly replace: (token: string) => unknown;
  /** Once for each time that the file becomes unreadable; the token before stays in use. */
  readonly unreadable: (why: string) => void;
  readonly everyMs?: number;
}

/**
 * Tokens of an identity provider live for minutes or hours, runs for days: who renews the file renews the connection. Returns
 * what ends this; it keeps no process alive.
 */
export function followToken(
  path: string,
  { first, replace, unreadable, everyMs = EVERY_MS }: TokenUse,
): () => void {
  let known = first;
  let isReadable = true;
  const read = async (): Promise<void> => {
    try {
      const token = await readToken(path);
      isReadable = true;
      if (token === known) return;
      await replace(token);
      known = token;
    } catch (error) {
      if (isReadable) unreadable(error instanceof Error ? error.message : String(error));
      isReadable = false;
    }
  };
  const timer = setInterval(() => void read(), everyMs);
  timer.unref();
  return () => {
    clearInterval(timer);
  };
}
