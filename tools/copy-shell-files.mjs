/**
 * Part of the build: shell files of ours are read from beside the compiled module that sends them to nodes, and the
 * compiler leaves them behind. All of them are copied, so that a new one cannot be forgotten.
 */
import { cpSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const SOURCES = fileURLToPath(new URL('../activities', import.meta.url));
const COMPILED = fileURLToPath(new URL('../dist/activities', import.meta.url));

for (const name of readdirSync(SOURCES, { recursive: true })) {
  if (name.endsWith('.sh')) cpSync(`${SOURCES}/${name}`, `${COMPILED}/${name}`);
}
