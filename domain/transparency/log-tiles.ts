import type { TreeLevels } from './log-tree.js';

/**
 * Where the parts of a log are, as C2SP tlog-tiles (https://c2sp.org/tlog-tiles) lays them out: a tile has the hashes of 256 neighbours
 * of one level in eight, a bundle has 256 entries. The last ones have fewer.
 */
export interface TilePlace {
  /** Of tiles; null of a bundle of entries. */
  readonly level: number | null;
  readonly index: number;
  /** How many it has: 1 to 256. */
  readonly width: number;
}

export const TILE_WIDTH = 256;
const TILE_HEIGHT = 8;

/** The bundles of entries of a log of this size, oldest first. */
export function bundlesOf(size: number): readonly TilePlace[] {
  return placesOf(null, size);
}

/** The tiles of a log of this size, lowest level first. */
export function tilesOf(size: number): readonly TilePlace[] {
  const tiles: TilePlace[] = [];
  for (let level = 0, count = size; count > 0; level += 1, count = Math.floor(count / TILE_WIDTH)) {
    tiles.push(...placesOf(level, count));
  }
  return tiles;
}

function placesOf(level: number | null, count: number): readonly TilePlace[] {
  return Array.from({ length: Math.ceil(count / TILE_WIDTH) }, (_, index) => {
    const width = Math.min(TILE_WIDTH, count - index * TILE_WIDTH);
    return { level, index, width };
  });
}

/** The hashes of a tile. */
export function tileHashes(levels: TreeLevels, { level, index, width }: TilePlace) {
  const own = levels[(level ?? 0) * TILE_HEIGHT] ?? [];
  return own.slice(index * TILE_WIDTH, index * TILE_WIDTH + width);
}

/** Path of a tile or bundle in the folder of its log, for example `tile/0/x001/234.p/7`. */
export function tilePath(place: TilePlace): string {
  const whole = wholeTilePath(place);
  return place.width === TILE_WIDTH ? whole : `${whole}.p/${String(place.width)}`;
}

/** Path of the same one once it is whole. */
export function wholeTilePath({ level, index }: Pick<TilePlace, 'level' | 'index'>): string {
  const name = level === null ? 'entries' : String(level);
  return `tile/${name}/${indexPath(index)}`;
}

/** Three digits to a folder, all but the last with an `x`. */
function indexPath(index: number): string {
  const above = Math.floor(index / 1000);
  const digits = String(index % 1000).padStart(3, '0');
  return above === 0 ? digits : `${folderPath(above)}/${digits}`;
}

function folderPath(above: number): string {
  return indexPath(above).replace(/(\d{3})$/, 'x$1');
}
