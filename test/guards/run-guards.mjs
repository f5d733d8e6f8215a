/**
 * Takes each guard out in turn, in a copy of the sources, and demands that the tests notice.
 * Usage: npm run test:guards [-- --only TEXT]
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { GUARDS } from './guards.mjs';

const COPIED = [
  'domain',
  'activities',
  'workflows',
  'workers',
  'config',
  'cli',
  'simulator',
  'test',
  'package.json',
  'jest.config.js',
  'tsconfig.json',
];

const wanted = process.argv.includes('--only')
  ? process.argv[process.argv.indexOf('--only') + 1]
  : '';
const root = resolve(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'ccm-migrate-guards-'));
let passed = 0;
let failed = 0;
try {
  for (const name of COPIED) cpSync(join(root, name), join(copy, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const guard of GUARDS.filter(({ name }) => name.includes(wanted))) tryWithout(guard);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
console.log(`${String(passed)} passed, ${String(failed)} failed`);
process.exitCode = failed === 0 ? 0 : 1;

/** A guard that can be taken out without a failing test protects nothing: that is the failure here. */
function tryWithout(guard) {
  const path = join(copy, guard.file);
  const original = readFileSync(path, 'utf8');
  if (original.split(guard.from).length !== 2) {
    report(false, guard, `${guard.file} does not hold exactly one ${JSON.stringify(guard.from)}`);
    return;
  }
  const startedAt = Date.now();
  writeFileSync(path, original.replace(guard.from, guard.to));
  const noticed = runTests(guard) !== 0;
  writeFileSync(path, original);
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(0);
  report(noticed, guard, `${noticed ? 'noticed' : 'NOT NOTICED'} in ${seconds} s`);
}

function runTests({ tests, only }) {
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const named = only === undefined ? [] : ['-t', only];
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const selected = ['--selectProjects', 'unit', '--bail', '-i', '--testPathPatterns', ...tests];
  const run = spawnSync(process.execPath, [...flags, jest, ...selected, ...named], {
    cwd: copy,
    stdio: 'ignore',
    timeout: 300_000,
  });
  return run.status ?? 1;
}

function report(good, { name }, words) {
  if (good) passed += 1;
  else failed += 1;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: ${words}`);
}
