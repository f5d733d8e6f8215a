import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../../activities/failures.js';
import { openRegular } from '../../config/regular-file.js';
import { checkpointBody } from '../../domain/transparency/checkpoint.js';
import type { UtcTime } from '../../domain/transparency/log-stamps.js';
import { LARGEST_ANSWER } from './ask-timestamp.js';
import { rootText, type StoredLog, writeDurably } from './log-files.js';
import { utcTimeOf } from './utc-time.js';
import { readTimestamp, timestampedAt } from './timestamp-token.js';

/** Beside the tiles: `<N>.tsr` is the answer of an authority about the checkpoint of N entries. */
const FOLDER = 'timestamp';
const FILE = /^([1-9]\d{0,14})\.tsr$/;

/** The sizes at which a log was stamped, rising. */
export async function stampedSizesIn(folder: string): Promise<readonly number[]> {
  const names = await readdir(join(folder, FOLDER)).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  const sizes = names.flatMap((name) => FILE.exec(name)?.[1] ?? []).map(Number);
  return sizes.sort((a, b) => a - b);
}

/** Keeps an answer on stable storage. */
export async function writeStamp(folder: string, size: number, answer: Buffer): Promise<void> {
  await writeDurably(join(folder, stampFile(size)), answer);
}

/**
 * When a log had this size, by the word of one of these authorities.
 * @throws Error in plain words, for a timestamp that proves nothing
 */
export async function stampAt(
  folder: string,
  { checkpoint: { origin }, levels }: Pick<StoredLog, 'checkpoint' | 'levels'>,
  { size, authorities }: { readonly size: number; readonly authorities: readonly string[] },
): Promise<UtcTime> {
  const text = checkpointBody({ origin, size, root: rootText(levels, size) });
  try {
    const answer = readTimestamp(await readStamp(join(folder, stampFile(size))));
    return utcTimeOf(await timestampedAt(answer, text, authorities));
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`log ${folder}: ${stampFile(size)}: ${why}`, { cause: error });
  }
}

function stampFile(size: number): string {
  return `${FOLDER}/${String(size)}.tsr`;
}

async function readStamp(path: string): Promise<Buffer> {
  const file = await openRegular(path);
  try {
    const { size } = await file.stat();
    if (size > LARGEST_ANSWER) throw new Error('it is larger than a timestamp');
    return await file.readFile();
  } finally {
    await file.close();
  }
}
