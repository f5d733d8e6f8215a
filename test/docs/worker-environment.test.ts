import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EnvironmentVariable, WORKER_ENVIRONMENT } from '../../config/environment.js';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/worker-environment.md'), 'utf8');

/** How the page writes a default. */
function defaultText({ default: value }: EnvironmentVariable): string {
  if (value === undefined) return 'required';
  return value === '' ? 'none' : `\`${value}\``;
}

it('the page has each variable that a worker reads, with its default and its meaning', () => {
  const rows = PAGE.split('\n')
    .filter((line) => /^\| `[A-Z]/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, ...cells]) => cells.slice(0, 3));
  const read: readonly (readonly [string, EnvironmentVariable])[] =
    Object.entries(WORKER_ENVIRONMENT);
  expect(rows).toEqual(
    read.map(([name, variable]) => [`\`${name}\``, defaultText(variable), variable.meaning]),
  );
});
