/** Archives that depend on the content of files alone: not on when, where and by whom they were made. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/**
 * Packs these files and folders of a folder into a gzipped tar archive. `epochSeconds`: the time of all its entries. Needs GNU
 * tar: others sort and date entries as they find them.
 */
export function pack(folder, names, archive, epochSeconds) {
  execFileSync('tar', [
    ...['--create', '--file', archive, '--use-compress-program', 'gzip --no-name -9'],
    ...['--sort=name', '--format=ustar', `--mtime=@${epochSeconds}`, '--mode=u=rwX,go=rX'],
    ...['--owner=0', '--group=0', '--numeric-owner', '--directory', folder, ...names],
  ]);
}

/** SHA-256 of a file, in hexadecimal. */
export async function fileDigest(path) {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
