import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Each text is linted as an existing file: rules that need types accept no others. */
const DOMAIN = 'domain/digest.ts';
const WORKFLOW = 'workflows/index.ts';
const ACTIVITY = 'activities/contract.ts';
const TEST = 'test/domain/digest.test.ts';

const longFunction = `export function long(): number {\n  let n = 0;\n${'  n += 1;\n'.repeat(45)}  return n;\n}`;
const longFile = `export const a = 1;\n${'// a line\n'.repeat(360)}`;
const branches = Array.from({ length: 11 }, (_, n) => `if (n === ${n}) return ${n};`).join('\n');
const unusedDirective =
  "Unused eslint-disable directive (no problems were reported from 'complexity').";

type Row = readonly [name: string, file: string, text: string, rules: readonly string[]];

const rows: readonly Row[] = [
  [
    'the clock in domain',
    DOMAIN,
    'export const now = () => Date.now();',
    ['no-restricted-globals'],
  ],
  [
    'chance in domain',
    DOMAIN,
    'export const r = () => Math.random();',
    ['no-restricted-properties'],
  ],
  ['the environment in domain', DOMAIN, 'export const e = process.env;', ['no-restricted-globals']],
  ['a timer in domain', DOMAIN, 'setTimeout(() => 1, 1);', ['no-restricted-globals']],
  ['a file in domain', DOMAIN, "export { rm } from 'node:fs';", ['no-restricted-imports']],
  [
    'the engine in domain',
    DOMAIN,
    "export * from '@temporalio/workflow';",
    ['no-restricted-imports'],
  ],
  [
    'state of a module in domain',
    DOMAIN,
    'let n = 0;\nexport const next = () => (n += 1);',
    ['no-restricted-syntax'],
  ],
  [
    'a module that collects in domain',
    DOMAIN,
    'const seen = new Set<string>();\nexport const see = (id: string) => seen.add(id);',
    ['no-restricted-syntax'],
  ],
  [
    'a constant set in domain',
    DOMAIN,
    "export const NAMES: ReadonlySet<string> = new Set(['a']);",
    [],
  ],
  ['zod in a workflow', WORKFLOW, "export { z } from 'zod';", ['no-restricted-imports']],
  ['a built-in in a workflow', WORKFLOW, "export { join } from 'path';", ['no-restricted-imports']],
  ['the console in a workflow', WORKFLOW, "console.log('a');", ['no-restricted-globals']],
  [
    'a Map that leaves a workflow',
    WORKFLOW,
    'export interface State { readonly byName: Map<string, string> }',
    ['no-restricted-syntax'],
  ],
  ['the environment in an activity', ACTIVITY, 'void process.env;', ['no-restricted-properties']],
  ['a default export', ACTIVITY, 'export default 1;', ['no-restricted-exports']],
  ['a long file', ACTIVITY, longFile, ['max-lines']],
  ['a long function', ACTIVITY, longFunction, ['max-lines-per-function']],
  ['a long function in a test', TEST, longFunction, []],
  [
    'a function with many branches',
    ACTIVITY,
    `export function f(n: number): number {\n${branches}\nreturn -1;\n}`,
    ['complexity'],
  ],
  [
    'a rule turned off without a reason',
    ACTIVITY,
    '// eslint-disable-next-line no-restricted-exports\nexport default 1;',
    ['house/require-disable-reason'],
  ],
  [
    'all rules turned off',
    ACTIVITY,
    '/* eslint-disable -- because */\nexport default 1;',
    ['house/require-disable-reason'],
  ],
  [
    'a rule turned off for nothing',
    ACTIVITY,
    '// eslint-disable-next-line complexity -- was needed once\nexport const a = 1;',
    [unusedDirective],
  ],
  [
    'a rule turned off with a reason',
    ACTIVITY,
    '// eslint-disable-next-line no-restricted-exports -- a loader reads it\nexport default 1;',
    [],
  ],
];

const NEEDS_TYPES = `
import { Step } from '../domain/step.js';
export type S = Step;
export function forgets(work: Promise<void>): void {
  work.then(() => 1);
}
interface Validated { readonly validator: (name: string) => void }
export const v: Validated = {
  validator: async (name) => {
    await Promise.reject(new Error(name));
  },
};
export function misses(way: 'up' | 'down'): number {
  switch (way) {
    case 'up':
      return 1;
  }
  return 0;
}
export const claims = (answer: unknown) => answer as string;
export const numbersAreFine = (seconds: number) => \`\${seconds} s\`;
`;

function lint(input: object): string[][] {
  const script = fileURLToPath(new URL('lint-cases.mjs', import.meta.url));
  const options = { cwd: ROOT, input: JSON.stringify(input), encoding: 'utf8' } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [script], options);
  expect(stderr).toBe('');
  return JSON.parse(stdout) as string[][];
}

describe('lint', () => {
  const cases = rows.map(([, file, text]) => ({ file, text: `${text}\n` }));
  let found: string[][] | undefined;

  it.each(rows.map(([name, , , rules], index) => ({ name, rules, index })))(
    'lint of $name finds $rules',
    ({ rules, index }) => {
      found ??= lint({ typed: false, cases });
      expect(found[index]).toEqual(rules);
    },
    180_000,
  );

  it('lint finds what only types reveal', () => {
    expect(lint({ typed: true, cases: [{ file: ACTIVITY, text: NEEDS_TYPES }] })).toEqual([
      [
        '@typescript-eslint/consistent-type-imports',
        '@typescript-eslint/no-floating-promises',
        '@typescript-eslint/no-misused-promises',
        '@typescript-eslint/no-unsafe-type-assertion',
        '@typescript-eslint/switch-exhaustiveness-check',
      ],
    ]);
  }, 180_000);
});
