import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { imageArchitecture, imageArchive } from './image-archive.js';

/** Programs that run as containers. */
const IMAGE_NAMES = [
  'kube-controller-manager',
  'kube-scheduler',
  'cloud-controller-manager',
  'pause',
] as const;
export type ImageName = (typeof IMAGE_NAMES)[number];

/** Where kubeadm expects them. */
export const REPOSITORY = 'registry.k8s.io';
/** The kubelet's own sandbox image; all versions of the lab share one tag. */
export const PAUSE_IMAGE = `${REPOSITORY}/pause:3.9`;

/** The image reference of a component of a version, as pods use it. */
export function imageReference(name: ImageName, version: string): string {
  return name === 'pause' ? PAUSE_IMAGE : `${REPOSITORY}/${name}:v${version}`;
}

/** Writes one archive for each of the version's containerized programs. */
export async function writeImages(version: string, bin: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of IMAGE_NAMES) {
    const archive = imageArchive(
      {
        reference: imageReference(name, version),
        architecture: imageArchitecture(process.arch),
        path: `/usr/local/bin/${name}`,
      },
      await readFile(join(bin, name)),
    );
    await writeArchive(join(folder, `${name}.tar`), archive);
  }
}

export async function writeArchive(path: string, parts: readonly Buffer[]): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const part of parts) await file.appendFile(part);
  } finally {
    await file.close();
  }
}
