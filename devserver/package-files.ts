import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of a file of this package, wherever it is installed. */
export function packageFile(...parts: readonly string[]): string {
  return join(packageRoot(), ...parts);
}

/**
 * Absolute path of one of our compiled programs. Child processes always run from dist/, also when this code runs from
 * sources.
 */
export function compiledProgram(...parts: readonly string[]): string {
  return packageFile('dist', ...parts);
}

function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('package.json is not in this installation');
    folder = parent;
  }
  return folder;
}
