import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun, runProgram } from '../host/run-program.js';
import { placeOnHost } from './node-disk.js';

/** Manifests, keys and kubeconfigs of a node, and what a migration keeps of them. */
const FOLDER = '/etc/kubernetes';
/** Many times what is kept there, and full in no time. */
const SIZE_BYTES = 8 * 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024);
/** Beside the manifests, where no kubelet reads; found by whoever asks the node what fills its disk. */
const FILLER = `${FOLDER}/fills-the-disk`;

/**
 * Gives /etc/kubernetes of a node a small file system of its own. It is mounted on the host: so it outlives the namespaces of
 * the node, as a disk outlives a crash, and whoever cleans the lab finds it by its place.
 */
export async function mountSmallDisk(nodeFolder: string): Promise<void> {
  const place = placeOf(nodeFolder);
  mkdirSync(place, { recursive: true, mode: 0o755 });
  await mustRun('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_BYTES},mode=0755`, 'tmpfs', place]);
}

/** What is on it is gone. One that was never mounted stays so, and whoever then removes its folder is told what is not. */
export async function unmountSmallDisk(nodeFolder: string): Promise<void> {
  await runProgram('umount', ['--lazy', placeOf(nodeFolder)]);
}

/** Leaves no room at all, until `freeDisk`. @throws Error when what is below is no small disk. */
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
  // The machine's own disk, then, which is not to be filled.
  rmSync(place);
  throw new Error(`${placeOf(nodeFolder)} is no file system of ${SIZE_BYTES} bytes`);
}

export function freeDisk(nodeFolder: string): void {
  rmSync(placeOnHost(nodeFolder, FILLER), { force: true });
}

/** By its words, for in test environments errors of Node belong to another realm. */
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
