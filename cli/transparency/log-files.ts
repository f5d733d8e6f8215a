import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../activities/failures.js';
import { syncFolder } from '../../activities/evidence/run-file.js';
import { readCheckpoint, type SignedCheckpoint } from '../../domain/transparency/checkpoint.js';
import {
  bundlesOf,
  TILE_WIDTH,
  tileHashes,
  tilePath,
  type TilePlace,
  tilesOf,
  wholeTilePath,
} from '../../domain/transparency/log-tiles.js';
import { leafOf, rootAt, type TreeLevels, treeLevels } from '../../domain/transparency/log-tree.js';

/** A log as its files have it: the hash of its entries is what its checkpoint says. Who signed it is another question. */
export interface StoredLog {
  readonly checkpoint: SignedCheckpoint;
  /** Texts, oldest first. */
  readonly entries: readonly string[];
  readonly levels: TreeLevels;
}

/** Ten years of a hundred entries an hour. */
const MOST_ENTRIES = 10_000_000;
const LARGEST_ENTRY = 65_535;
const LENGTH_BYTES = 2;

/** @throws Error in plain words, for a log that is not there, damaged, or has not what its checkpoint says */
export async function readStoredLog(folder: string): Promise<StoredLog> {
  const checkpoint = await readLogCheckpoint(folder);
  const bundles: Buffer[] = [];
  for (const place of bundlesOf(checkpoint.size)) {
    bundles.push(...(await readBundle(folder, place)));
  }
  const levels = treeLevels(bundles.map(leafOf));
  if (rootText(levels, checkpoint.size) !== checkpoint.root) {
    throw new Error(`log ${folder}: its entries are not those of its checkpoint`);
  }
  return { checkpoint, entries: bundles.map((entry) => entry.toString('utf8')), levels };
}

/** @throws Error in plain words */
export async function readLogCheckpoint(folder: string): Promise<SignedCheckpoint> {
  const text = await readFile(join(folder, 'checkpoint'), 'utf8').catch((error: unknown) => {
    throw new Error(
      `log ${folder}: no checkpoint can be read (${errorCode(error)}): is it the folder of a log?`,
    );
  });
  const checkpoint = readCheckpoint(text);
  if (checkpoint === null) throw new Error(`log ${folder}: its checkpoint is none`);
  if (checkpoint.size > MOST_ENTRIES) throw new Error(`log ${folder}: more entries than any log`);
  return checkpoint;
}

/** Root of a log when it had this size, in base64; empty for more than it has. */
export function rootText(levels: TreeLevels, size: number): string {
  const root = rootAt(levels, size);
  return root === null ? '' : Buffer.from(root).toString('base64');
}

/** The tree of a log that gets these entries more. */
export function grownLevels([leaves = []]: TreeLevels, added: readonly string[]): TreeLevels {
  return treeLevels([...leaves, ...added.map((entry) => leafOf(Buffer.from(entry)))]);
}

async function readBundle(folder: string, place: TilePlace): Promise<readonly Buffer[]> {
  const path = tilePath(place);
  const bytes =
    (await ifThere(join(folder, path))) ?? (await ifThere(join(folder, wholeTilePath(place))));
  if (bytes === null) throw new Error(`log ${folder}: ${path} is missing`);
  const entries: Buffer[] = [];
  for (let at = 0; at < bytes.length && entries.length < place.width;) {
    const begin = at + LENGTH_BYTES;
    at = begin > bytes.length ? Infinity : begin + bytes.readUInt16BE(at);
    if (at > bytes.length) break;
    entries.push(bytes.subarray(begin, at));
  }
  if (entries.length < place.width) throw new Error(`log ${folder}: ${path} is cut off`);
  return entries;
}

async function ifThere(path: string): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return null;
    throw error;
  });
}

/** What a log is to become: all of its entries, and the note that signs them. */
export interface NextLog extends Omit<StoredLog, 'checkpoint'> {
  /** How many of the entries are on disk. */
  readonly from: number;
  readonly note: string;
}

/**
 * Writes new entries, and the checkpoint last, on stable storage: what a crash leaves behind is the log of before. Parts that are
 * whole now replace those that were not, after the checkpoint.
 */
export async function writeStoredLog(folder: string, { from, ...next }: NextLog): Promise<void> {
  const { entries, levels, note } = next;
  const isNew = (place: TilePlace, span: number): boolean =>
    place.index * TILE_WIDTH + place.width > Math.floor(from / span);
  const bundles = bundlesOf(entries.length).filter((place) => isNew(place, 1));
  const tiles = tilesOf(entries.length).filter((place) =>
    isNew(place, TILE_WIDTH ** (place.level ?? 0)),
  );
  for (const place of bundles) {
    const first = place.index * TILE_WIDTH;
    const own = entries.slice(first, first + place.width).map(framed);
    await writeDurably(join(folder, tilePath(place)), Buffer.concat(own));
  }
  for (const place of tiles) {
    await writeDurably(join(folder, tilePath(place)), Buffer.concat(tileHashes(levels, place)));
  }
  await writeDurably(join(folder, 'checkpoint'), Buffer.from(note));
  for (const place of [...bundles, ...tiles].filter(({ width }) => width === TILE_WIDTH)) {
    await rm(join(folder, `${wholeTilePath(place)}.p`), { recursive: true, force: true });
  }
}

/** @throws Error for an entry that no bundle can hold */
function framed(entry: string): Buffer {
  const bytes = Buffer.from(entry);
  if (bytes.length > LARGEST_ENTRY) throw new Error('an entry is larger than 64 KiB');
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Whole or not at all, and on stable storage. */
export async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const unfinished = `${path}.new`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(unfinished, 'w', 0o644);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
  await syncFolder(dirname(path));
}
