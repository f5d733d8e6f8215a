import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../../devserver/run-program.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What the fake `npm ci`, `npm run verify` (with the results it leaves) and `npm run demo`, of a cluster and of a fleet, do. */
interface Run {
  readonly install?: number;
  readonly verify?: number;
  readonly demo?: number;
  readonly fleet?: number;
  readonly results?: { readonly passed: number; readonly failed: number; readonly broken: number };
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function fakeNpm({ install = 0, verify = 0, demo = 0, fleet = 0, results }: Run): string {
  return `#!/bin/bash
[[ $CI = true ]] || exit 99
for word; do [[ $word = --outputFile=* ]] && file=\${word#--outputFile=}; done
case "$*" in
  ci*) exit ${install} ;;
  *verify*) ${results === undefined ? ':' : `echo '${jestResults(results)}' > "$file"`}; exit ${verify} ;;
  *demo*--fleet*) exit ${fleet} ;;
  *demo*) exit ${demo} ;;
esac
`;
}

function jestResults({ passed, failed, broken }: NonNullable<Run['results']>): string {
  return JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: broken,
    success: failed === 0 && broken === 0,
  });
}

async function ci(run: Run): Promise<{ last: string | undefined; code: number | null }> {
  await mkdir(join(folder, '.ci'));
  await mkdir(join(folder, 'bin'));
  await copyFile(join(ROOT, '.ci/run'), join(folder, '.ci/run'));
  await writeFile(join(folder, 'bin/npm'), fakeNpm(run), { mode: 0o755 });
  const path = [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const env = { PATH: path, TMPDIR: folder };
  const { stdout, code } = await runProgram('bash', [join(folder, '.ci/run')], { env });
  return { last: stdout.trim().split('\n').at(-1), code };
}

const good = { passed: 10, failed: 0, broken: 0 };

describe('.ci/run ends with one line of counts', () => {
  it.each<readonly [string, Run, string, number]>([
    ['all is well', { results: good }, '12 passed, 0 failed', 0],
    ['two tests fail', { verify: 1, results: { ...good, failed: 2 } }, '12 passed, 2 failed', 1],
    [
      'a suite cannot be loaded',
      { verify: 1, results: { ...good, broken: 1 } },
      '12 passed, 1 failed',
      1,
    ],
    ['lint fails, so no test ran', { verify: 1 }, '2 passed, 1 failed', 1],
    ['something fails after the tests', { verify: 1, results: good }, '12 passed, 1 failed', 1],
    ['the demo fails', { demo: 1, results: good }, '11 passed, 1 failed', 1],
    ['the demo of a fleet fails', { fleet: 1, results: good }, '11 passed, 1 failed', 1],
    ['nothing can be installed', { install: 1 }, '0 passed, 1 failed', 1],
    [
      'no test ran and the demos failed',
      { results: { ...good, passed: 0 }, demo: 1, fleet: 1 },
      '0 passed, 2 failed',
      1,
    ],
  ])('.ci/run prints its counts when %s', async (_name, run, last, code) => {
    expect(await ci(run)).toEqual({ last, code });
  });
});
