import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { dispositions } from '../../../domain/managers/controller-names.js';
import { parseLeaderMigration } from '../../../domain/managers/parse-leader-migration.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`./fixtures/${name}.yaml`, import.meta.url), 'utf8');

function problemsOf(name: string, minor: number): readonly string[] {
  const parsed = parseLeaderMigration(fixture(name), minor);
  if (parsed.kind === 'parsed') return [];
  return parsed.problems.map((p) => `${p.line}:${p.column} ${p.path}: ${p.message}`);
}

describe("the official guide's samples", () => {
  it("the guide's sample parses on 1.30 and protects nothing", () => {
    const parsed = parseLeaderMigration(fixture('guide-kcm'), 30);
    if (parsed.kind === 'invalid') throw new Error('must parse: that is the trap');
    expect(Object.values(dispositions(parsed.file.entries, 'kcm', 30))).toEqual(
      Array(4).fill('nonMigrated'),
    );
    expect(dispositions(parsed.file.entries, 'kcm', 27).service).toBe('migrated');
  });

  it("the guide's sample is refused by binaries without v1", () => {
    expect(problemsOf('guide-kcm', 23)).toEqual([
      '1:1 apiVersion: v1 is read from 1.24, not by 1.23',
    ]);
  });

  it("the guide's sample is not YAML with its unquoted stars", () => {
    const message =
      'an unquoted * starts an alias in YAML, so the manager does not start: write it as "*"';
    expect(problemsOf('guide-wildcard', 30)).toEqual([
      `7:14 : ${message}`,
      `9:14 : ${message}`,
      `11:14 : ${message}`,
    ]);
  });

  it("the guide's sample splits node IPAM into two entries", () => {
    expect(problemsOf('guide-nodeipam', 30)).toEqual([
      '12:3 controllerLeaders[3]: has only a name, and the next entry only a component: remove the dash before component, or the manager does not start',
      '13:3 controllerLeaders[4].name: must not be empty',
    ]);
  });
});

describe("the KEP's example", () => {
  it.each([24, 31])("the KEP's example is read leniently by 1.%i", (minor) => {
    expect(problemsOf('kep-2436', minor)).toEqual([]);
  });

  it("the KEP's example makes a 1.32 binary exit", () => {
    expect(problemsOf('kep-2436', 32)).toEqual([
      '4:1 resourceLock: does not exist in v1 (always a Lease): remove it, or use v1beta1',
    ]);
  });
});
