import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LabNode } from './lab-node.js';
import { placeOnHost } from './node-disk.js';

/** Writes a file of a running node whole, as careful people do: nobody ever reads half of it. */
export function replaceFile({ folder }: LabNode, path: string, text: string): void {
  const place = placeOnHost(folder, path);
  const beside = join(folder, 'disk/etc/kubernetes', '.being-written');
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, place);
}

/** Writes into the file that is there, as `cat >` and many editors do. */
export function overwriteFile({ folder }: LabNode, path: string, text: string): void {
  writeFileSync(placeOnHost(folder, path), text, { flag: 'r+' });
}

export function removeFile({ folder }: LabNode, path: string): void {
  rmSync(placeOnHost(folder, path), { force: true });
}

export function removeFolder({ folder }: LabNode, path: string): void {
  rmSync(placeOnHost(folder, path), { force: true, recursive: true });
}
