import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFile } from '../../../devserver/package-files.js';
import { buildFlags, moduleFolders } from './go-module.js';
import type { KubernetesVersion } from './kubernetes-version.js';

/** Our Go sources. */
export function goSources(): string {
  return packageFile('testbed', 'lab', 'go');
}

/** Short digest of all our sources in the binaries of a version: another digest means another cache entry. */
export function sourceDigest(version: KubernetesVersion, sources = goSources()): string {
  const hash = createHash('sha256');
  for (const [source, target] of moduleFolders(version)) {
    for (const file of readdirSync(join(sources, source)).toSorted()) {
      hash
        .update(`${target}/${file}\0`)
        .update(readFileSync(join(sources, source, file)))
        .update('\0');
    }
  }
  hash.update(buildFlags(version).join('\0'));
  return hash.digest('hex').slice(0, 12);
}
