import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What once went wrong, in one sentence, and the test that keeps it right. `name` occurs verbatim in `file`. */
interface Regression {
  readonly wrong: string;
  readonly file: string;
  readonly name: string;
}

const ROOT = join(import.meta.dirname, '..');
const REGRESSIONS: Readonly<Record<string, Regression>> = JSON.parse(
  readFileSync(join(ROOT, 'test/regressions.json'), 'utf8'),
);

describe('regressions', () => {
  const rows = Object.entries(REGRESSIONS);

  it('each regression says in one sentence what went wrong', () => {
    const bad = rows.filter(([, { wrong }]) => !/^[A-Z`"][\s\S]{20,}\.$/.test(wrong));
    expect(bad).toEqual([]);
  });

  it('each regression names a test that exists', () => {
    const missing = rows.filter(([, { file, name }]) => {
      const path = join(ROOT, file);
      return !existsSync(path) || !readFileSync(path, 'utf8').includes(name);
    });
    expect(missing).toEqual([]);
  });

  it('regressions are sorted, without duplicates', () => {
    const ids = rows.map(([id]) => id);
    expect(ids).toEqual([...ids].sort(byId));
  });
});

function byId(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
