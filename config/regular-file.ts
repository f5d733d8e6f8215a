import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Its code is read as that of a system error. */
class NotRegular extends Error {
  readonly code = 'NOT_A_FILE';
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
