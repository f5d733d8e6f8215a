/**
 * Adds to package-lock.json the optional packages for other platforms that npm left out. With a registry that mirrors
 * only some platforms and answers 404 for the others, npm writes a lock file without them, and `npm ci` refuses that
 * lock file everywhere. Run after each `npm install`. Added entries have no integrity hash, because the packages
 * could not be fetched: only the exact version is pinned.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const LOCK_FILE = fileURLToPath(new URL('../package-lock.json', import.meta.url));
const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32'];
const LIBCS = { gnu: 'glibc', musl: 'musl' };

/** `@swc/core-linux-arm64-musl` → os, cpu and libc, as these packages declare them. */
function platformOf(name) {
  const words = name.split('/').at(-1).split('-');
  const at = words.findIndex((word) => SYSTEMS.includes(word));
  if (at < 0)
    throw new Error(`${name}: its name contains no platform; add it to package-lock.json by hand`);
  const [os, cpu, abi] = words.slice(at);
  const libc = os === 'linux' ? LIBCS[abi] : undefined;
  return { cpu: [cpu], ...(libc ? { libc: [libc] } : {}), os: [os] };
}

const lock = JSON.parse(readFileSync(LOCK_FILE, 'utf8'));
const missing = Object.entries(lock.packages).flatMap(([place, { optionalDependencies, dev }]) =>
  Object.entries(optionalDependencies ?? {})
    .filter(
      ([name]) =>
        !(
          `node_modules/${name}` in lock.packages ||
          `${place}/node_modules/${name}` in lock.packages
        ),
    )
    .map(([name, version]) => ({ name, version, dev })),
);
for (const { name, version, dev } of missing) {
  if (!/^\d/.test(version)) throw new Error(`${name}@${version}: only exact versions can be added`);
  lock.packages[`node_modules/${name}`] = {
    version,
    ...(dev ? { dev } : {}),
    optional: true,
    ...platformOf(name),
  };
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${missing.length} packages for other platforms added`);
