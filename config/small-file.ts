import { unreadable } from './read-documents.js';
import { openRegular } from './regular-file.js';

const READABLE_BY_OTHERS = 0o077;

/** The text of a file of at most so many bytes. `what` begins its errors. @throws Error in plain words; it never quotes the file */
export async function readSmallFile(what: string, path: string, most: number): Promise<string> {
  return textOfFile(what, path, { most, isSecret: false });
}

/** The same of a file that only its user may read. */
export async function readSecretFile(what: string, path: string, most: number): Promise<string> {
  return textOfFile(what, path, { most, isSecret: true });
}

/** Opened once, so that what is checked is what is read. */
async function textOfFile(
  what: string,
  path: string,
  { most, isSecret }: { readonly most: number; readonly isSecret: boolean },
): Promise<string> {
  const file = await openRegular(path).catch((error: unknown) => {
    throw new Error(`${what}: ${unreadable(error)}`);
  });
  try {
    const { mode, size } = await file.stat();
    if (isSecret && (mode & READABLE_BY_OTHERS) !== 0) {
      throw new Error(`${what}: others may read it: chmod 0600`);
    }
    if (size > most) throw new Error(`${what}: larger than ${String(most / 1024)} KiB`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
