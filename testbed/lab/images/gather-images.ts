import { copyFile, link, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Release } from '../binaries/binary-cache.js';
import type { ImageName } from './write-images.js';

const NEEDED: readonly ImageName[] = [
  'pause',
  'kube-controller-manager',
  'kube-scheduler',
  'cloud-controller-manager',
];

/** Puts the image archives of all versions of a lab where its nodes see them, one folder per version. */
export async function gatherImages(folder: string, releases: readonly Release[]): Promise<string> {
  for (const release of releases) {
    const target = join(folder, release.version);
    await mkdir(target, { recursive: true });
    for (const name of NEEDED) {
      const place = join(target, `${name}.tar`);
      // A hard link where possible: hundreds of megabytes need no second copy.
      await link(release.image(name), place).catch(() => copyFile(release.image(name), place));
    }
  }
  return folder;
}
