/**
 * Adds to package-lock.json the optional packages for other platforms that npm left out. With a registry that mirrors
 * only some platforms and answers 404 for the others, npm writes a lock file without them, and `npm ci` refuses that
 * lock file everywhere. Then asks the registry for the integrity of every entry that has none, so that no platform installs
 * what was not locked. Run after each `npm install`.
 */
import { execFileSync } from 'node:child_process';
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
/** What npm writes of a package that it could fetch. */
function publishedOf(name, version) {
  const fields = ['dist.integrity', 'license', 'engines'];
  const answer = execFileSync('npm', ['view', `${name}@${version}`, ...fields, '--json'], {
    encoding: 'utf8',
  });
  const { 'dist.integrity': integrity, license, engines } = JSON.parse(answer);
  if (!/^sha512-/.test(integrity ?? '')) throw new Error(`${name}@${version}: no integrity known`);
  return { integrity, ...(license ? { license } : {}), ...(engines ? { engines } : {}) };
}

let completed = 0;
for (const [place, { version, integrity, ...rest }] of Object.entries(lock.packages)) {
  if (place === '' || integrity !== undefined) continue;
  const { engines, ...published } = publishedOf(place.split('node_modules/').at(-1), version);
  lock.packages[place] = { version, ...published, ...rest, ...(engines ? { engines } : {}) };
  completed += 1;
}
lock.packages = Object.fromEntries(
  Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
);
writeFileSync(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(
  `package-lock.json: ${missing.length} packages for other platforms added, integrity of ${completed}`,
);
