import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function read(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
}

describe('what is installed', () => {
  const { packages } = read('package-lock.json') as { packages: Record<string, Locked> };

  it('every package is locked for every platform, or npm ci refuses (tools/complete-lock-file.mjs adds what is missing)', () => {
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) =>
          !(`node_modules/${name}` in packages) && !(`${place}/node_modules/${name}` in packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  it('every dependency is declared by an exact version', () => {
    const { dependencies, devDependencies } = read('package.json') as Record<
      string,
      Record<string, string>
    >;
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
