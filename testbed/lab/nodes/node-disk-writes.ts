import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LabNode } from './lab-node.js';
import { placeOnHost } from './node-disk.js';

/** Replaces a file of a running node atomically: no reader sees a partial file. */
export function replaceFile({ folder }: LabNode, path: string, text: string): void {
  const place = placeOnHost(folder, path);
  const beside = join(folder, 'disk/etc/kubernetes', '.being-written');
  mkdirSync(dirname(place), { recursive: true });
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, place);
}

/** Overwrites a file in place, as `cat >` and many editors do. */
export function overwriteFile({ folder }: LabNode, path: string, text: string): void {
  writeFileSync(placeOnHost(folder, path), text, { flag: 'r+' });
}

export function removeDiskFile({ folder }: LabNode, path: string): void {
  rmSync(placeOnHost(folder, path), { force: true });
}

export function removeFolder({ folder }: LabNode, path: string): void {
  rmSync(placeOnHost(folder, path), { force: true, recursive: true });
}
