import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

interface Locked {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly hasInstallScript?: boolean;
  readonly dev?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

function text(path: string): string {
  return readFileSync(`${ROOT}${path}`, 'utf8');
}

const { packages } = JSON.parse(text('package-lock.json')) as { packages: Record<string, Locked> };
const INSTALLED = Object.entries(packages).filter(([place]) => place !== '');
const nameOf = (place: string): string => place.split('node_modules/').at(-1) ?? '';
const DECLARED = JSON.parse(text('package.json')) as Record<string, Record<string, string>>;

describe('what is installed', () => {
  it('every package is locked for every platform, or npm ci refuses (tools/complete-lock-file.mjs adds what is missing)', () => {
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${place}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('every package has its integrity, for platforms of others too, and comes from the registry alone', () => {
    const bad = INSTALLED.filter(
      ([, { integrity = '', resolved, version = '' }]) =>
        !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity) ||
        resolved !== undefined ||
        !/^\d+\.\d+\.\d+/.test(version),
    );
    expect(bad.map(([place]) => place)).toEqual([]);
  });

  it('every dependency is declared by an exact version', () => {
    const { dependencies, devDependencies } = DECLARED;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it('one protobufjs is installed where histories are read', () => {
    for (const name of ['common', 'proto', 'worker', 'client']) {
      expect(Object.keys(packages)).not.toContain(
        `node_modules/@temporalio/${name}/node_modules/protobufjs`,
      );
    }
  });
});

/** Packages that would run a script when they are installed, and why none of it is needed. */
const SCRIPTS: Readonly<Record<string, string>> = {
  protobufjs: 'only warns about how versions are written',
  '@parcel/watcher': 'builds from source where no binary for the platform is installed; dev only',
  '@swc/core': 'checks that the binary for the platform is installed, and fetches another one',
  'cpu-features': 'builds an optional speed-up of ssh2, which works without it',
  ssh2: 'builds the same speed-up',
};

/** Permissive, and data or public domain without conditions on our code. Source: https://spdx.org/licenses/ */
const LICENCES = [
  ...['MIT', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'],
  ...['Unlicense', 'Python-2.0', 'Apache-2.0 AND MIT', '(MIT OR CC0-1.0)'],
];

/** Read in the packages themselves: they declare none in the field that npm locks, or one that is no software licence. */
const READ_LICENCES: Readonly<Record<string, string>> = {
  buildcheck: 'MIT',
  'cpu-features': 'MIT',
  memorystream: 'MIT',
  ssh2: 'MIT',
  unionfs: 'Unlicense',
  'caniuse-lite': 'CC-BY-4.0, of data about browsers that no code of ours reads',
};

describe('what comes with it', () => {
  it('no package runs scripts when it is installed, and each that would is known', () => {
    expect(text('.npmrc')).toMatch(/^ignore-scripts=true$/m);
    const scripted = INSTALLED.filter(([, { hasInstallScript }]) => hasInstallScript === true);
    expect([...new Set(scripted.map(([place]) => nameOf(place)))].sort()).toEqual(
      Object.keys(SCRIPTS).sort(),
    );
  });

  it('our own scripts need no others before or after them, which would be left out', () => {
    const names = Object.keys(DECLARED['scripts'] ?? {});
    expect(names.filter((name) => /^(pre|post)[a-z]/.test(name))).toEqual([]);
  });

  it('every licence lets an Apache-2.0 product be made of it', () => {
    const others = INSTALLED.filter(([place, { license = '' }]) =>
      nameOf(place) in READ_LICENCES ? false : !LICENCES.includes(license),
    );
    expect(others.map(([place, { license }]) => `${place} ${license ?? ''}`)).toEqual([]);
    const unused = Object.keys(READ_LICENCES).filter(
      (name) => !INSTALLED.some(([place]) => nameOf(place) === name),
    );
    expect(unused).toEqual([]);
  });

  it('`npm run sbom` lists every package that runs, and no other one, each with its hash', () => {
    const program = `${ROOT}tools/list-components.mjs`;
    const list = JSON.parse(execFileSync(process.execPath, [program], { encoding: 'utf8' })) as {
      readonly bomFormat: string;
      readonly components: readonly {
        readonly name: string;
        readonly version: string;
        readonly hashes?: readonly { readonly alg: string }[];
      }[];
    };
    expect(list.bomFormat).toBe('CycloneDX');
    const listed = list.components
      .filter(({ hashes }) => hashes?.[0]?.alg === 'SHA-512')
      .map(({ name, version }) => `${name}@${version}`);
    const run = INSTALLED.filter(([, { dev }]) => dev !== true);
    const names = run.map(([place, { version }]) => `${nameOf(place)}@${version ?? ''}`);
    expect([...new Set(listed)].sort()).toEqual([...new Set(names)].sort());
  });
});
