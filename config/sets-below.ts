import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import type { ConfigProblem } from './problems.js';
import {
  isYamlName,
  LARGEST_FILE_BYTES,
  readErrorCode,
  unreadable,
  wholeFile,
} from './read-documents.js';
import { readBeginning } from './regular-file.js';

/** The folders below those that were named, each with its own documents. */
export interface SetsBelow {
  /** Files of one folder that belong together. */
  readonly sets: readonly (readonly string[])[];
  /** Named folders without files of their own; they need none, because there are sets below. */
  readonly onlyFolders: readonly string[];
  readonly problems: readonly ConfigProblem[];
}

/** Deeper or larger trees hold no fleets: they are a home folder, or the root of the disk. */
const DEEPEST = 8;
const MOST_FOLDERS = 1_000;
const MOST_FILES = 2_000;

interface Walk {
  /** Resolved; no link may lead out of it. */
  readonly root: string;
  readonly named: ReadonlySet<string>;
  readonly sets: (readonly string[])[];
  readonly problems: ConfigProblem[];
  folders: number;
  files: number;
}

/**
 * Finds the sets below folders. A folder that was not named counts if one of its files is a document of ours, because
 * charts and settings of other tools are kept beside fleets. Hidden folders, node_modules and links to folders are skipped:
 * the target of a link is found at its own place, or is outside.
 */
export async function setsBelow(paths: readonly string[]): Promise<SetsBelow> {
  const named = new Set(paths.map((path) => resolve(path)));
  const onlyFolders: string[] = [];
  const found: (readonly string[])[] = [];
  const problems: ConfigProblem[] = [];
  for (const path of paths) {
    // Reading the path itself reports what cannot be inspected.
    if (!(await isFolder(path))) continue;
    const root = await realpath(path).catch(() => null);
    if (root === null) continue;
    const walk: Walk = { root, named, sets: [], problems, folders: 0, files: 0 };
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    for (const folder of foldersOf(entries)) await visit(walk, join(path, folder), 1);
    found.push(...walk.sets);
    if (walk.sets.length > 0 && !entries.some(({ name }) => isYamlName(name)))
      onlyFolders.push(path);
  }
  return { sets: found, onlyFolders, problems };
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

function foldersOf(entries: readonly Dirent[]): readonly string[] {
  return entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .filter((name) => !name.startsWith('.') && name !== 'node_modules')
    .sort();
}

async function visit(walk: Walk, folder: string, depth: number): Promise<void> {
  // A folder that was named itself is read with the other named paths.
  if (walk.named.has(resolve(folder)) || !isWithinBounds(walk, folder, depth)) return;
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    await takeSet(walk, folder, entries);
    for (const name of foldersOf(entries)) await visit(walk, join(folder, name), depth + 1);
  } catch (error) {
    walk.problems.push(wholeFile(folder, unreadable(error), 'CCM5016'));
  }
}

/** What is not checked is reported once, so that it never passes as `no problems`. */
function isWithinBounds(walk: Walk, folder: string, depth: number): boolean {
  const tooMuch = (message: string): false => {
    walk.problems.push(wholeFile(folder, `${message}: name the folders of fleets`, 'CCM5015'));
    return false;
  };
  if (depth > DEEPEST) return tooMuch(`deeper than ${String(DEEPEST)} folders, not looked at`);
  if (walk.folders > MOST_FOLDERS || walk.files > MOST_FILES) return false;
  walk.folders += 1;
  return walk.folders > MOST_FOLDERS
    ? tooMuch(`more than ${String(MOST_FOLDERS)} folders, not looked at from here on`)
    : true;
}

async function takeSet(walk: Walk, folder: string, entries: readonly Dirent[]): Promise<void> {
  const files = entries
    .filter((entry) => isYamlName(entry.name) && !entry.isDirectory())
    .map(({ name }) => join(folder, name))
    .sort();
  walk.files += files.length;
  if (walk.files > MOST_FILES) {
    const message = `more than ${String(MOST_FILES)} files, not looked at from here on: name the folders of fleets`;
    walk.problems.push(wholeFile(folder, message, 'CCM5015'));
    return;
  }
  const inside = await Promise.all(files.map((file) => liesIn(walk.root, file)));
  const own = files.filter((_, index) => inside[index] === true);
  if (!(await claimsToBeOurs(walk, own))) return;
  walk.sets.push(own);
  const out = files.filter((_, index) => inside[index] !== true);
  for (const file of out)
    walk.problems.push(wholeFile(file, 'a link out of the folder that was named', 'CCM5016'));
}

/** A broken link counts as inside: reading it reports the problem. */
async function liesIn(root: string, file: string): Promise<boolean> {
  return realpath(file).then(
    (path) => path.startsWith(root.endsWith(sep) ? root : root + sep),
    () => true,
  );
}

const OURS =
  /apiVersion["']?[ \t]*:[ \t]*["']?ccm-migrate|kind["']?[ \t]*:[ \t]*["']?(?:FleetMigration|ClusterInventory|MigrationPolicy)\b/;

/**
 * By its text, so that a broken document is reported too, and one that is too large. What cannot be looked into may be ours, and is
 * reported unless the set is read anyway. One after the other, so that no more than one text is kept.
 */
async function claimsToBeOurs(walk: Walk, files: readonly string[]): Promise<boolean> {
  const problems: ConfigProblem[] = [];
  for (const file of files) {
    try {
      const beginning = await readBeginning(file, LARGEST_FILE_BYTES);
      if (OURS.test(beginning.toString('utf8'))) return true;
    } catch (error) {
      // Of a broken link, or a file that has gone meanwhile, nothing is left to be ours.
      if (readErrorCode(error) === 'ENOENT') continue;
      problems.push(wholeFile(file, unreadable(error), 'CCM5016'));
    }
  }
  walk.problems.push(...problems);
  return false;
}
