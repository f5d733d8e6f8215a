import { existsSync } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseBuildId } from '../../config/build-id.js';
import { bundleFile, readBundle, readBundleDigest } from '../../config/bundle-file.js';
import { compiledProgram } from '../../devserver/package-files.js';

/** Where workflow bundles are, in a folder of exports. */
const BUNDLES = 'bundles';

/** Keeps the workflow bundle of this installation beside exports, so that other versions can replay what this one wrote. */
export async function keepOwnBundle(folder: string): Promise<void> {
  const built = compiledProgram('workflow-bundle.js');
  const digest = await readBundleDigest(built);
  const file = bundleFile(join(folder, BUNDLES), digest);
  if (file === null || existsSync(file)) return;
  const { code } = await readBundle(built);
  await mkdir(join(folder, BUNDLES), { recursive: true });
  // A file of that name is whole, after a crash too, and beside another that exports.
  const part = `${file}.${String(process.pid)}.new`;
  await writeFile(part, code, { mode: 0o600, flush: true });
  await rename(part, file);
}

/** The bundles that wrote these executions and are not kept, as `sha256:<hex>`, by their build ids. */
export function bundlesNotKept(folder: string, buildIds: readonly string[]): readonly string[] {
  const digests = new Set(buildIds.flatMap((id) => parseBuildId(id)?.bundle ?? []));
  return [...digests].filter((digest) => {
    const file = bundleFile(join(folder, BUNDLES), digest);
    return file === null || !existsSync(file);
  });
}
