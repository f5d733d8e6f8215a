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
  /** The secure profile: how its preparation ends, and its results. */
  readonly prepared?: number;
  readonly secure?: { readonly passed: number; readonly failed: number; readonly broken: number };
  /** Seconds that are gone when it starts. */
  readonly gone?: number;
  /** Of a story of the lab that was left out. */
  readonly leftOut?: string;
  readonly results?: { readonly passed: number; readonly failed: number; readonly broken: number };
}

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ci-run-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function fakeNpm(run: Run): string {
  const { install = 0, verify = 0, demo = 0, fleet = 0, prepared = 0, results, leftOut } = run;
  const secure = jestResults(run.secure ?? { passed: 0, failed: 0, broken: 0 });
  const lab = jestResults({ passed: 0, failed: 0, broken: 0 }, [{ title: leftOut }]);
  return `#!/bin/bash
[[ $CI = true ]] || exit 99
for word; do [[ $word = --outputFile=* ]] && file=\${word#--outputFile=}; done
case "$*" in
  ci*) exit ${install} ;;
  *verify*) ${results === undefined ? ':' : `echo '${jestResults(results)}' > "$file"`}; exit ${verify} ;;
  *demo*--fleet*) exit ${fleet} ;;
  *demo*) exit ${demo} ;;
  *secure:prepare*) exit ${prepared} ;;
  *test:secure*) echo '${secure}' > "$file"; exit ${run.secure?.failed ?? 0} ;;
  *test:lab*) echo "until $CCM_TEST_LAB_UNTIL"; echo '${lab}' > "$file" ;;
esac
`;
}

function jestResults(
  { passed, failed, broken }: NonNullable<Run['results']>,
  testResults: readonly unknown[] = [],
): string {
  return JSON.stringify({
    testResults,
    numPassedTests: passed,
    numFailedTests: failed,
    numRuntimeErrorTestSuites: broken,
    success: failed === 0 && broken === 0,
  });
}

async function ci(run: Run): Promise<{ output: string; code: number | null }> {
  await mkdir(join(folder, '.ci'));
  await mkdir(join(folder, 'bin'));
  await copyFile(join(ROOT, '.ci/run'), join(folder, '.ci/run'));
  await writeFile(join(folder, 'bin/npm'), fakeNpm(run), { mode: 0o755 });
  const path = [join(folder, 'bin'), dirname(process.execPath), '/usr/bin', '/bin'].join(':');
  const env = { PATH: path, TMPDIR: folder, SECONDS: String(run.gone ?? 0) };
  const { stdout, code } = await runProgram('bash', [join(folder, '.ci/run')], { env });
  return { output: stdout.trim(), code };
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
    ['the secure profile passes', { results: good, secure: good }, '22 passed, 0 failed', 0],
    [
      'the secure profile fails',
      { results: good, secure: { ...good, failed: 1 } },
      '22 passed, 1 failed',
      1,
    ],
    [
      'it cannot be built here',
      { results: good, secure: good, prepared: 69 },
      '12 passed, 0 failed',
      0,
    ],
    ['building it fails', { results: good, prepared: 1 }, '12 passed, 1 failed', 1],
    ['nothing can be installed', { install: 1 }, '0 passed, 1 failed', 1],
    [
      'no test ran and the demos failed',
      { results: { ...good, passed: 0 }, demo: 1, fleet: 1 },
      '0 passed, 2 failed',
      1,
    ],
  ])('.ci/run prints its counts when %s', async (_name, run, last, code) => {
    const ended = await ci(run);
    expect({ last: ended.output.split('\n').at(-1), code: ended.code }).toEqual({ last, code });
  });
});

describe('.ci/run ends within the hour', () => {
  it('names the stories of the lab that had no time left, and tells them when it ends', async () => {
    const { output } = await ci({
      results: good,
      leftOut: 'a story (LEFT OUT: no time)',
      gone: 3000,
    });
    expect(output).toContain('"a story (LEFT OUT: no time)"');
    const [, until] = /until (\d+)/.exec(output) ?? [];
    expect(Number(until)).toBeLessThanOrEqual(Date.now() + 480_000);
    expect(Number(until)).toBeGreaterThan(Date.now() + 300_000);
  });

  it('does not begin with the lab when too little is left of the hour', async () => {
    const { output } = await ci({ results: good, gone: 3300 });
    expect(output).toContain('== lab: LEFT OUT: 55 minutes went by');
    expect(output).not.toContain('until');
  });
});
