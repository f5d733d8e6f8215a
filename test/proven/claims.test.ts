import { expect, it } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { claim, isClaimId } from './claims.js';

const TEST = join(import.meta.dirname, '..');
const FOLDERS = ['testbed/simulator', 'testbed/lab/truth'] as const;

/** Titles that begin with the number of a claim, as they are written in the sources. */
function titles(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(TEST, folder))
      .filter((name) => name.endsWith('.test.ts'))
      .flatMap((name) => {
        const text = readFileSync(join(TEST, folder, name), 'utf8');
        return [...text.matchAll(/\(\s*'([PF]\d+ [^'\n]+)'/g)].map(([, title = '']) => title);
      }),
  );
}

it('a test that is named after a claim has the sentence of that claim as its title', () => {
  const wrong = titles().filter((title) => {
    const [id = ''] = title.split(' ', 1);
    return !isClaimId(id) || !title.startsWith(claim(id));
  });
  expect(titles().length).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});
