import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
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
  ['domain/yaml/edits.ts', value('yaml'), null],
  ['domain/compares.ts', value('diff'), 'vendor-diff'],
  ['domain/hashes.ts', value('@noble/hashes/sha2.js'), 'vendor-hashes'],
  ['cli/proto.ts', value('@temporalio/proto'), 'vendor-temporal-proto'],
  ['config/encrypted-payloads.ts', value('@temporalio/proto'), null],
  ['domain/digest.ts', value('@noble/hashes/sha2.js'), null],
  ['domain/policy.ts', typeOnly('./managers/clouds.js'), 'domain-layers'],
  ['domain/managers/clouds.ts', typeOnly('../findings/codes.js'), null],
  ['domain/findings/codes.ts', value('../yaml/edits.js'), 'domain-layers'],
  ['config/finds-a-layer.ts', value('../domain/nowhere.js'), 'domain-layers-name-everything'],
  [
    'workflows/runs-effects.ts',
    value('../activities/contract.js'),
    'workflows-see-activity-types-only',
  ],
  ['workflows/knows-shapes.ts', typeOnly('../activities/contract.js'), null],
  [
    'workflows/decides.ts',
    value('../domain/decision/next-step.js'),
    'the-interpreter-does-not-decide',
  ],
  [
    'workflows/reads-settings.ts',
    value('../config/schema.js'),
    'workflows-imports-only-its-own-kind',
  ],
  ['workflows/knows-names.ts', value('../config/names.js'), null],
  ['workflows/waits.ts', value('@temporalio/workflow'), null],
  [
    'activities/orders.ts',
    value('../workflows/messages.js'),
    'activities-imports-only-its-own-kind',
  ],
  ['activities/chooses.ts', value('./adapters/http/http.js'), 'adapters-are-joined-at-the-roots'],
  ['activities/speaks.ts', value('@kubernetes/client-node'), 'vendor-kubernetes-client'],
  ['activities/fetches.ts', value('undici'), 'vendor-undici'],
  ['activities/adapters/http/http.ts', value('undici'), null],
  [
    'testbed/bench/gates/traces/confirms.ts',
    typeOnly('../../../../domain/findings/codes.js'),
    'drawn-counts-know-no-gate',
  ],
  ['activities/adapters/ssh/logs-in.ts', value('ssh2'), 'vendor-ssh2'],
  ['activities/adapters/ssh/open-connection.ts', value('ssh2'), null],
  ['activities/evidence/asks.ts', value('pg'), 'vendor-pg'],
  ['activities/evidence/postgres-connections.ts', value('pg'), null],
  ['cli/transparency/given-stamps.ts', value('pkijs'), 'vendor-pkijs'],
  ['cli/transparency/parses.ts', value('asn1js'), 'vendor-pkijs'],
  ['cli/transparency/timestamp-token.ts', value('asn1js'), null],
  ['activities/waits.ts', value('@temporalio/workflow'), 'vendor-temporal-workflow'],
  ['workers/loads.ts', value('../workflows/cluster.js'), 'workers-do-not-load-workflow-code'],
  ['workers/orders.ts', value('../cli/command.js'), 'workers-imports-only-its-own-kind'],
  ['workers/knows-messages.ts', value('../workflows/messages.js'), null],
  ['workers/works.ts', value('@temporalio/worker'), null],
  ['config/heartbeats.ts', value('@temporalio/activity'), 'vendor-temporal-activity'],
  ['config/orders.ts', value('../cli/command.js'), 'config-imports-only-its-own-kind'],
  ['cli/imports-worker.ts', value('../workers/works.js'), 'cli-imports-only-its-own-kind'],
  [
    'cli/imports-simulator.ts',
    value('../testbed/simulator/cluster.js'),
    'cli-imports-only-its-own-kind',
  ],
  ['cli/imports-demo.ts', value('../testbed/demo/run.js'), 'cli-imports-only-its-own-kind'],
  ['cli/starts-servers.ts', value('../devserver/start.js'), null],
  ['cli/parses.ts', value('commander'), null],
  ['cli/works.ts', value('@temporalio/worker'), 'vendor-temporal-worker'],
  ['cli/tests.ts', value('fast-check'), 'no-development-packages-in-the-product'],
  ['cli/validates.ts', value('zod'), 'vendor-zod'],
  ['cli/logs.ts', value('pino'), 'vendor-pino'],
  ['config/schedules.ts', value('luxon'), 'vendor-luxon'],
  ['config/time-zones.ts', value('luxon'), null],
  ['devserver/parses.ts', value('commander'), 'vendor-commander'],
  ['devserver/orders.ts', value('../cli/command.js'), 'devserver-imports-only-its-own-kind'],
  ['devserver/migrates.ts', value('../domain/digest.js'), 'devserver-imports-only-its-own-kind'],
  ['devserver/knows-names.ts', value('../config/names.js'), null],
  ['devserver/tries.ts', value('../testbed/simulator/cluster.js'), 'the-testbed-is-one-door'],
  ['config/measures.ts', value('../testbed/demo/run.js'), 'the-testbed-is-one-door'],
  ['test/tries.ts', value('../testbed/simulator/cluster.js'), null],
  ['testbed/base/simulates.ts', value('../simulator/cluster.js'), 'testbed-base-is-the-floor'],
  [
    'testbed/simulator/computes.ts',
    value('../../domain/digest.js'),
    'simulator-sees-domain-types-only',
  ],
  [
    'testbed/simulator/acts.ts',
    value('../../activities/contract.js'),
    'simulator-imports-only-its-own-kind',
  ],
  ['testbed/simulator/cluster.ts', typeOnly('../../domain/digest.js'), null],
  [
    'testbed/base/simulates.ts',
    value('../simulator/electors/elector.js'),
    'testbed-base-is-the-floor',
  ],
  ['testbed/base/computes.ts', value('../../domain/digest.js'), 'simulator-sees-domain-types-only'],
  ['testbed/base/knows-words.ts', typeOnly('../../domain/digest.js'), null],
  ['testbed/lab/issues.ts', value('../base/auth/certificates.js'), null],
  ['testbed/lab/runs.ts', value('../../devserver/run-program.js'), null],
  [
    'testbed/lab/computes.ts',
    value('../../activities/contract.js'),
    'lab-imports-only-its-own-kind',
  ],
  [
    'testbed/lab/simulates.ts',
    value('../simulator/electors/elector.js'),
    'lab-imports-only-its-own-kind',
  ],
  ['testbed/demo/starts-a-lab.ts', value('../lab/issues.js'), 'nothing-imports-the-lab'],
  ['testbed/bench/starts-a-lab.ts', value('../lab/issues.js'), null],
  ['testbed/demo/measures.ts', value('../bench/starts-a-lab.js'), 'nothing-imports-benchmarks'],
  ['config/chicken.ts', value('./egg.js'), 'no-cycles'],
  // dependency-cruiser reports a cycle once, from its first file.
  ['config/egg.ts', value('./chicken.js'), null],
  ['config/guesses.ts', value('./not-there.js'), 'no-unresolvable'],
  ['config/borrows.ts', value('undeclared'), 'only-declared-packages'],
];

/** Folders that need each other although none of their files do. */
const circularFolders: readonly (readonly [file: string, imports: string])[] = [
  ['cli/runs/start.ts', typeOnly('../plan/read.js')],
  ['cli/plan/write.ts', value('../screens/show.js')],
  ['cli/screens/print.ts', value('../runs/find.js')],
  ['testbed/demo/lists.ts', value('../simulator/reads.js')],
  ['testbed/simulator/plans.ts', value('../demo/run.js')],
];
/** A verb loads its command on demand; a simulated machine and its kubelet hold each other. */
const allowedFolders: readonly (readonly [file: string, imports: string])[] = [
  ['config/verbs/load.ts', "export const b = () => import('../commands/run.js');"],
  ['config/commands/show.ts', value('../verbs/names.js')],
  ['testbed/simulator/nodes/boot.ts', value('../kubelets/run.js')],
  ['testbed/simulator/kubelets/watch.ts', value('../nodes/files.js')],
];

const others = [
  'config/names',
  'config/schema',
  'config/verbs/names',
  'config/commands/run',
  'activities/contract',
  'workflows/messages',
  'workflows/cluster',
  'domain/nowhere',
  'domain/decision/next-step',
  'cli/command',
  'cli/runs/find',
  'cli/plan/read',
  'cli/screens/show',
  'devserver/start',
  'testbed/demo/run',
  'testbed/simulator/electors/elector',
  'testbed/simulator/reads',
  'testbed/simulator/nodes/files',
  'testbed/simulator/kubelets/run',
  'devserver/run-program',
  'testbed/base/auth/certificates',
];
const packages = {
  dependencies: [
    'yaml',
    'zod',
    'diff',
    'pino',
    'ssh2',
    'undici',
    'luxon',
    'commander',
    'pg',
    'pkijs',
    'asn1js',
    '@temporalio/proto',
    '@noble/hashes',
    '@kubernetes/client-node',
    '@temporalio/worker',
    '@temporalio/workflow',
    '@temporalio/activity',
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
  for (const [file, text] of [...rows, ...circularFolders, ...allowedFolders]) {
    await write(file, text);
  }
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

  it('every rule has an example that breaks it', () => {
    const configuration = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as {
      forbidden: readonly { name: string }[];
    };
    const broken = new Set(rows.map(([, , rule]) => rule));
    expect(configuration.forbidden.filter(({ name }) => !broken.has(name))).toEqual([]);
  });

  it('folders that reach each other through different files are a violation, with these files', () => {
    expect(output).toContain(
      [
        'error no-folder-cycles: cli/plan ↔ cli/runs ↔ cli/screens',
        '  cli/plan/write.ts → cli/screens/show.ts',
        '  cli/runs/start.ts → cli/plan/read.ts',
        '  cli/screens/print.ts → cli/runs/find.ts\n',
      ].join('\n'),
    );
  });

  it('rooms of the testbed that reach each other are a violation', () => {
    expect(output).toMatch(/no-folder-cycles: .*testbed\/demo ↔ .*testbed\/simulator\n/);
  });

  it('folders inside the simulator may reach each other, and so may imports on demand', () => {
    const cycles = output.split('\n').filter((line) => line.includes('no-folder-cycles'));
    expect(cycles).toEqual([
      'error no-folder-cycles: config/chicken.ts ↔ config/egg.ts',
      expect.stringContaining('cli/plan'),
      expect.stringContaining('testbed/demo ↔'),
    ]);
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
