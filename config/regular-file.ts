import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Its code is read as that of a system error. */
class NotRegular extends Error {
  readonly code = 'NOT_A_FILE';
}

/** Said of a file that has more than was asked for: it can grow while it is read. */
class TooLarge extends Error {
  readonly code = 'TOO_LARGE';
}

class NotText extends Error {
  readonly code = 'NOT_TEXT';
}

/**
 * Opens what must be a file. A pipe without a writer, or a device, would be read for ever, and no signal ends that.
 * @throws Error with a `code`, as the system's errors have
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    // A folder has an error of its own when it is read.
    if (found.isFile() || found.isDirectory()) return file;
    throw new NotRegular(`${path} is a pipe or a device, and no file`);
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** Its content. @throws Error with a `code` */
export async function readRegular(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** The same as text. */
export async function readRegularText(path: string): Promise<string> {
  return (await readRegular(path)).toString('utf8');
}

const CHUNK_BYTES = 64 * 1024;

/** The text of a file of at most so many bytes; no more of it is kept. @throws Error with a `code` */
export async function readBoundedText(path: string, mostBytes: number): Promise<string> {
  const bytes = await readBeginning(path, mostBytes + 1);
  if (bytes.length > mostBytes) {
    throw new TooLarge(`${path} has more than ${String(mostBytes)} bytes`);
  }
  return textIn(path, bytes);
}

/** The first bytes of a file, or all that it has. @throws Error with a `code` */
export async function readBeginning(path: string, mostBytes: number): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const chunks: Buffer[] = [];
    for (let left = mostBytes; left > 0;) {
      const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, left));
      const { bytesRead } = await file.read(chunk, 0, chunk.length, null);
      if (bytesRead === 0) break;
      chunks.push(chunk.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

/** What is not UTF-8 would be read with other characters in its place. */
function textIn(path: string, bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (bytes.includes(0) || !Buffer.from(text, 'utf8').equals(bytes)) {
    throw new NotText(`${path} is no text in UTF-8`);
  }
  return text;
}
