import { createHash } from 'node:crypto';
import { tarEnd, tarFile, tarHeader, tarPadding } from './tar-archive.js';

export interface ImageSpec {
  /** Repository and tag, as pods reference it. */
  readonly reference: string;
  readonly architecture: 'amd64' | 'arm64';
  /** Where the program is inside the image. */
  readonly path: string;
}

/** A further file in an image. */
export interface ImageFile {
  readonly path: string;
  readonly content: Buffer;
}

/** Go's name of this machine's architecture, which images use too. */
export function imageArchitecture(arch: string): 'amd64' | 'arm64' {
  return arch === 'arm64' ? 'arm64' : 'amd64';
}

/**
 * An image with one layer that holds one program and its libraries, in the format of `docker save`, which `ctr images
 * import` reads. Written by hand, so that no container builder is needed. Equal programs give equal archives.
 */
export function imageArchive(
  spec: ImageSpec,
  program: Buffer,
  libraries: readonly ImageFile[] = [],
): readonly Buffer[] {
  const layer = layerOf([{ path: spec.path, content: program }, ...libraries]);
  const hash = createHash('sha256');
  for (const part of layer) hash.update(part);
  const config = Buffer.from(
    JSON.stringify({
      architecture: spec.architecture,
      os: 'linux',
      config: { Entrypoint: [spec.path], Env: ['PATH=/usr/local/bin:/usr/bin:/bin'] },
      rootfs: { type: 'layers', diff_ids: [`sha256:${hash.digest('hex')}`] },
    }),
  );
  const configName = `${createHash('sha256').update(config).digest('hex')}.json`;
  const manifest = Buffer.from(
    JSON.stringify([{ Config: configName, RepoTags: [spec.reference], Layers: ['layer.tar'] }]),
  );
  const layerBytes = layer.reduce((total, { length }) => total + length, 0);
  return [
    tarFile(configName, config),
    tarHeader({ name: 'layer.tar', mode: 0o644, bytes: layerBytes }),
    ...layer,
    tarPadding(layerBytes),
    tarFile('manifest.json', manifest),
    tarEnd(),
  ];
}

function layerOf(files: readonly ImageFile[]): readonly Buffer[] {
  const folders = new Set(files.flatMap(({ path }) => foldersAbove(path)));
  return [
    // Parent folders must precede their content.
    ...[...folders]
      .toSorted()
      .map((name) => tarHeader({ name, mode: 0o755, bytes: 0, kind: 'folder' })),
    // A user's program may need to write there; a Go program that logs to files does.
    tarHeader({ name: 'tmp/', mode: 0o1777, bytes: 0, kind: 'folder' }),
    ...files.flatMap(({ path, content }) => [
      tarHeader({ name: path.slice(1), mode: 0o755, bytes: content.length }),
      content,
      tarPadding(content.length),
    ]),
    tarEnd(),
  ];
}

function foldersAbove(path: string): readonly string[] {
  const parts = path.split('/').slice(1, -1);
  return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`);
}
