import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { readRegularText } from '../../config/regular-file.js';
import { UsageError } from '../cli-error.js';
import { shownText } from '../terminal/wording.js';

/** A file of a folder of exports that does not count, and why. */
export interface RefusedExport {
  readonly file: string;
  readonly why: string;
}

/** What a folder of exports holds. */
export interface FolderExports<Read> {
  readonly exports: readonly Read[];
  /** Files that are no export, or none that can be read here. */
  readonly refused: readonly RefusedExport[];
}

/** Longer texts are no strings in Node.js; no export that this tool writes comes near. */
const LARGEST_EXPORT_BYTES = 500 * 1024 * 1024;

/**
 * Reads each export in a folder. One that is too large, too deep or in any other way unreadable is named and holds up none of
 * the others: who can put a file there must not be able to end an audit of all of them.
 */
export async function folderExports<Read>(
  folder: string,
  names: readonly string[],
  read: (file: string, text: string) => Promise<Read>,
): Promise<FolderExports<Read>> {
  const exports: Read[] = [];
  const refused: RefusedExport[] = [];
  for (const name of names.filter((each) => each.endsWith('.json')).sort()) {
    const file = join(folder, name);
    try {
      exports.push(await read(file, await textOfExport(file)));
    } catch (error) {
      refused.push({ file, why: shownReason(error) });
    }
  }
  return { exports, refused };
}

/** The names in a folder that must be there. @throws UsageError where it cannot be read */
export function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => {
    throw new UsageError(`--exports ${folder} cannot be read`);
  });
}

async function textOfExport(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > LARGEST_EXPORT_BYTES) throw new Error('it is larger than 500 MiB');
  return readRegularText(file);
}

/** What an error says, for a terminal: it may quote a file. */
export function shownReason(error: unknown): string {
  return shownText(error instanceof Error ? error.message : String(error));
}

/** The exports of a folder in which each file must be one. @throws UsageError for the first that is none */
export function onlyExports<Read>({ exports, refused }: FolderExports<Read>): readonly Read[] {
  const [first] = refused;
  if (first === undefined) return exports;
  throw new UsageError(`${first.file}: ${first.why}`);
}
