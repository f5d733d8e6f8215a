import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../devserver/run-program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** One file, what it imports, and the rule that must reject it; null where it is allowed. */
type Row = readonly [file: string, imports: string, rule: string | null];

const value = (from: string) => `import { a } from '${from}'; export const b = a;`;
const typeOnly = (from: string) => `import type { A } from '${from}'; export type B = A;`;

const rows: readonly Row[] = [
  ['domain/reaches-out.ts', value('../config/names.js'), 'domain-imports-only-its-own-kind'],
  ['domain/reads-files.ts', value('node:fs'), 'domain-has-no-builtins'],
  ['domain/parses.ts', value('zod'), 'domain-vendors'],
  ['domain/edits.ts', value('yaml'), 'vendor-yaml'],
  ['domain/documents/edits.ts', value('yaml'), null],
  ['domain/hashes.ts', value('@noble/hashes/sha2.js'), 'vendor-hashes'],
  ['domain/digest.ts', value('@noble/hashes/sha2.js'), null],
  [
    'workflows/runs-effects.ts',
    value('../activities/contract.js'),
    'workflows-see-activity-types-only',
  ],
  ['workflows/knows-shapes.ts', typeOnly('../activities/contract.js'), null],
  [
    'workflows/reads-settings.ts',
    value('../config/schema.js'),
    'workflows-imports-only-its-own-kind',
  ],
  ['workflows/knows-names.ts', value('../config/names.js'), null],
  [
    'activities/orders.ts',
    value('../workflows/messages.js'),
    'activities-imports-only-its-own-kind',
  ],
  ['activities/chooses.ts', value('./adapters/http.js'), 'adapters-are-joined-at-the-roots'],
  ['activities/speaks.ts', value('@kubernetes/client-node'), 'vendor-kubernetes-client'],
  ['activities/adapters/http/http.ts', value('undici'), null],
  ['workers/loads.ts', value('../workflows/cluster.js'), 'workers-do-not-load-workflow-code'],
  ['workers/knows-messages.ts', value('../workflows/messages.js'), null],
  ['workers/works.ts', value('@temporalio/worker'), null],
  ['cli/imports-worker.ts', value('../workers/works.js'), 'cli-imports-only-its-own-kind'],
  ['cli/imports-simulator.ts', value('../simulator/cluster.js'), 'cli-imports-only-its-own-kind'],
  ['cli/works.ts', value('@temporalio/worker'), 'vendor-temporal-worker'],
  ['cli/tests.ts', value('fast-check'), 'no-development-packages-in-the-product'],
  [
    'testbed/simulator/computes.ts',
    value('../domain/digest.js'),
    'simulator-sees-domain-types-only',
  ],
  ['testbed/simulator/cluster.ts', typeOnly('../domain/digest.js'), null],
  ['testbed/lab/issues.ts', value('../simulator/auth/certificates.js'), null],
  ['testbed/lab/computes.ts', value('../activities/contract.js'), 'lab-imports-only-its-own-kind'],
  [
    'testbed/lab/simulates.ts',
    value('../simulator/electors/elector.js'),
    'lab-imports-only-its-own-kind',
  ],
  ['cli/starts-a-lab.ts', value('../lab/issues.js'), 'nothing-imports-the-lab'],
  ['config/chicken.ts', value('./egg.js'), 'no-cycles'],
  // A cycle is reported once, from its first file.
  ['config/egg.ts', value('./chicken.js'), null],
  ['config/guesses.ts', value('./not-there.js'), 'no-unresolvable'],
  ['config/borrows.ts', value('undeclared'), 'only-declared-packages'],
];
const others = [
  'config/names',
  'config/schema',
  'activities/contract',
  'workflows/messages',
  'workflows/cluster',
  'simulator/auth/certificates',
  'simulator/electors/elector',
];
const packages = {
  dependencies: [
    'yaml',
    'zod',
    'undici',
    '@noble/hashes',
    '@kubernetes/client-node',
    '@temporalio/worker',
  ],
  devDependencies: ['fast-check'],
  nobody: ['undeclared'],
};

let folder: string;
let output: string;
let exitCode: number | null;

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

async function writePackages(): Promise<void> {
  const declared = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, '1']));
  const { dependencies, devDependencies } = packages;
  const manifest = {
    dependencies: declared(dependencies),
    devDependencies: declared(devDependencies),
  };
  await write('package.json', JSON.stringify({ type: 'module', ...manifest }));
  for (const name of Object.values(packages).flat()) {
    await write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    await write(`node_modules/${name}/index.js`, 'exports.a = 1;');
    await write(`node_modules/${name}/sha2.js`, 'exports.a = 1;');
  }
}

async function check(...args: string[]): Promise<void> {
  const tool = join(ROOT, 'tools/check-imports.mjs');
  const options = { cwd: folder, env: process.env };
  const { code, stdout, stderr } = await runProgram(process.execPath, [tool, ...args], options);
  [exitCode, output] = [code, stdout + stderr];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'import-rules-'));
  for (const name of ['.dependency-cruiser.cjs', 'tsconfig.json']) {
    await copyFile(join(ROOT, name), join(folder, name));
  }
  await writePackages();
  for (const name of others)
    await write(`${name}.ts`, 'export const a = 1; export type A = string;');
  for (const [file, text] of rows) await write(file, text);
  await write('tools/plain.mjs', 'export const a = 1;');
  await check();
}, 180_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('import rules', () => {
  it.each(rows.filter(([, , rule]) => rule !== null))(
    '%s: `%s` breaks %s',
    (file, _imports, rule) => {
      expect(output).toContain(`error ${String(rule)}: ${file} →`);
    },
  );

  it.each(rows.filter(([, , rule]) => rule === null))('%s: `%s` is allowed', (file) => {
    expect(output).not.toContain(`: ${file} →`);
  });

  it('the check fails when it found a violation', () => {
    expect(exitCode).toBe(1);
  });

  it('the check fails when it read no modules', async () => {
    await check('tools');
    expect(output).toMatch(/No TypeScript modules were inspected/);
    expect(exitCode).toBe(1);
  }, 180_000);
});
