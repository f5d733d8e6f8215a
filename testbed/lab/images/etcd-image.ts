import { copyFile, link, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../devserver/process-environment.js';
import { mustRun, runProgram } from '../../../devserver/run-program.js';
import { imageArchitecture, imageArchive, type ImageFile } from './image-archive.js';
import { REPOSITORY, writeArchive } from './write-images.js';

/**
 * Wraps the machine's own etcd, which also serves as the lab's external etcd, into an image for kubelets that run it
 * as a static pod. Writes it into each of the folders; returns its reference, tagged like kubeadm's etcd images.
 * @throws Error without an etcd.
 */
export async function writeEtcdImage(
  [first, ...more]: readonly string[],
  env: Environment,
): Promise<string> {
  if (first === undefined) throw new Error('no folder was given for the etcd image');
  const program = (await mustRun('sh', ['-c', 'command -v etcd'], { env: { ...env } })).trim();
  const said = await mustRun(program, ['--version'], { env: { ...env } });
  const version = /^etcd Version: (\S+)$/m.exec(said)?.[1];
  if (version === undefined) throw new Error(`${program} --version prints no version: ${said}`);
  const reference = `${REPOSITORY}/etcd:${version}-0`;
  const architecture = imageArchitecture(process.arch);
  const spec = { reference, architecture, path: '/usr/local/bin/etcd' };
  const archive = imageArchive(spec, await readFile(program), await librariesOf(program));
  const place = join(first, 'etcd.tar');
  await writeArchive(place, archive);
  for (const folder of more) {
    const other = join(folder, 'etcd.tar');
    await link(place, other).catch(() => copyFile(place, other));
  }
  return reference;
}

/** Debian's etcd is dynamically linked: the loader and its libraries, at the paths where the program expects them. */
async function librariesOf(program: string): Promise<readonly ImageFile[]> {
  // Exits with 1 for a static program, which is fine.
  const { stdout } = await runProgram('ldd', [program]);
  return Promise.all(
    libraryPaths(stdout).map(async (path) => ({ path, content: await readFile(path) })),
  );
}

/** Absolute paths in the output of ldd(1); the kernel's vDSO has none. */
export function libraryPaths(printed: string): readonly string[] {
  return [...printed.matchAll(/(\/\S+) \(0x/g)].flatMap(([, path]) => path ?? []);
}
