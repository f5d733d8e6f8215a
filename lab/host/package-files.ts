import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of this package, found from this module upward: it is as far from the sources as from dist/. */
export function packageFile(...parts: readonly string[]): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json is not in this installation');
    folder = parent;
  }
  return join(folder, ...parts);
}
