import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of this package. The search goes upward from this module, because sources and dist/ differ in depth. */
export function packageFile(...parts: readonly string[]): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json is missing from this installation');
    folder = parent;
  }
  return join(folder, ...parts);
}
