import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, runProgram } from '../../../devserver/run-program.js';
import { placeOnHost } from './node-disk.js';

/** Manifests, keys and kubeconfigs of a node, and the backups that a migration keeps of them. */
const FOLDER = '/etc/kubernetes';
/** Far more than the content needs, and quick to fill. */
const SIZE_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
/** Beside the manifests folder, where no kubelet reads; visible to anyone who inspects what fills the disk. */
const FILLER = `${FOLDER}/fills-the-disk`;

/**
 * Gives /etc/kubernetes of a node a small file system of its own. It is mounted on the host: so it survives the
 * namespaces of the node, as a disk survives a crash, and cleaning the lab finds it by its path.
 */
export async function mountSmallDisk(nodeFolder: string): Promise<void> {
  const place = placeOf(nodeFolder);
  mkdirSync(place, { recursive: true, mode: 0o755 });
  await mustRun('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES},mode=0755`, 'tmpfs', place]);
}

/**
 * Unmounts the disk, which discards its content. A failed unmount is ignored: nothing may be mounted, and the removal
 * of the folder reports anything that remains.
 */
export async function unmountSmallDisk(nodeFolder: string): Promise<void> {
  await runProgram('umount', ['--lazy', placeOf(nodeFolder)]);
}

/** Leaves no free space until `freeDisk`. @throws Error when the folder is not the small disk. */
export function fillDisk(nodeFolder: string): void {
  const place = placeOnHost(nodeFolder, FILLER);
  const file = openSync(place, 'a', 0o600);
  try {
    for (let written = 0; written <= SIZE_BYTES; written += CHUNK.length) {
      if (!hadRoom(file)) return;
    }
  } finally {
    closeSync(file);
  }
  // Then this is the machine's own disk, which must not be filled.
  rmSync(place);
  throw new Error(`${placeOf(nodeFolder)} is not a file system of ${SIZE_BYTES} bytes`);
}

export function freeDisk(nodeFolder: string): void {
  rmSync(placeOnHost(nodeFolder, FILLER), { force: true });
}

/** Matched by text, because in test environments Node's errors belong to another realm. */
function hadRoom(file: number): boolean {
  try {
    writeSync(file, CHUNK);
    return true;
  } catch (error) {
    if (String(error).includes('ENOSPC')) return false;
    throw error;
  }
}

function placeOf(nodeFolder: string): string {
  return join(nodeFolder, 'disk', FOLDER);
}
