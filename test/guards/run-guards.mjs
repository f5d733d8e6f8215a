/**
 * Removes each guard in turn, in a copy of the sources, and requires that the tests fail. Usage: npm run test:guards [-- --only PATTERN]
 * [-- --jobs N]
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ACCESS_GUARDS } from './access-guards.mjs';
import { AGENT_GUARDS } from './agent-guards.mjs';
import { ACCOUNT_GUARDS } from './account-guards.mjs';
import { POLICY_SIGNING_GUARDS } from './policy-signing-guards.mjs';
import { CLOCK_GUARDS } from './clock-guards.mjs';
import { QUORUM_GUARDS } from './quorum-guards.mjs';
import { AUTHORITY_GUARDS } from './authority-guards.mjs';
import { ACTIVITY_GUARDS } from './activity-guards.mjs';
import { ANCHOR_GUARDS } from './anchor-guards.mjs';
import { BENCH_GUARDS } from './bench-guards.mjs';
import { CARRIED_GUARDS } from './carried-guards.mjs';
import { CHECK_GUARDS } from './check-guards.mjs';
import { COUNT_GATE_GUARDS } from './count-gate-guards.mjs';
import { ETCD_GUARDS } from './etcd-guards.mjs';
import { EVIDENCE_GUARDS } from './evidence-guards.mjs';
import { FENCE_GUARDS } from './fence-guards.mjs';
import { FLEET_APPROVAL_GUARDS } from './fleet-approval-guards.mjs';
import { FLEET_AUDIT_GUARDS } from './fleet-audit-guards.mjs';
import { FLEET_LINT_GUARDS } from './fleet-lint-guards.mjs';
import { FLEET_CALL_GUARDS } from './fleet-call-guards.mjs';
import { FLEET_CAP_GUARDS } from './fleet-cap-guards.mjs';
import { FLEET_METRIC_GUARDS } from './fleet-metric-guards.mjs';
import { FLEET_PEOPLE_GUARDS } from './fleet-people-guards.mjs';
import { FLEET_REVISION_GUARDS } from './fleet-revision-guards.mjs';
import { FLEET_SLOT_GUARDS } from './fleet-slot-guards.mjs';
import { FLEET_REHEARSAL_GUARDS } from './fleet-rehearsal-guards.mjs';
import { FLEET_GUARDS } from './fleet-guards.mjs';
import { GONE_MACHINE_GUARDS } from './gone-machine-guards.mjs';
import { HOST_GUARDS } from './host-guards.mjs';
import { GUARD_MEMORY_GUARDS } from './guard-memory-guards.mjs';
import { ALERT_GUARDS } from './alert-guards.mjs';
import { HOOK_GUARDS } from './hook-guards.mjs';
import { INTERPRETER_GUARDS } from './interpreter-guards.mjs';
import { KUBELET_GUARDS } from './kubelet-guards.mjs';
import { LOAD_GUARDS } from './load-guards.mjs';
import { MEMBER_GUARDS } from './member-guards.mjs';
import { PAYLOAD_GUARDS } from './payload-guards.mjs';
import { POPULATION_GUARDS } from './population-guards.mjs';
import { METRIC_SOURCE_GUARDS } from './metric-source-guards.mjs';
import { OBSERVATION_GUARDS } from './observation-guards.mjs';
import { OWN_COUNT_GUARDS } from './own-count-guards.mjs';
import { OWN_GATE_GUARDS } from './own-gate-guards.mjs';
import { PREFLIGHT_GUARDS } from './preflight-guards.mjs';
import { REHEARSED_FLEET_GUARDS } from './rehearsed-fleet-guards.mjs';
import { COMMAND_LINE_GUARDS } from './command-line-guards.mjs';
import { COMPARISON_GUARDS } from './comparison-guards.mjs';
import { PROBE_GUARDS } from './probe-guards.mjs';
import { OWN_RUN_GUARDS } from './own-run-guards.mjs';
import { STANDING_GUARDS } from './standing-guards.mjs';
import { WAVE_GUARDS } from './wave-guards.mjs';
import { REPLAY_GUARDS } from './replay-guards.mjs';
import { REPAIR_GUARDS } from './repair-guards.mjs';
import { ROLE_GUARDS } from './role-guards.mjs';
import { RULE_GUARDS } from './rule-guards.mjs';
import { SIMULATED_METRIC_GUARDS } from './simulated-metric-guards.mjs';
import { SSH_GUARDS } from './ssh-guards.mjs';
import { STALE_HOLDER_GUARDS } from './stale-holder-guards.mjs';
import { STATUS_GUARDS } from './status-guards.mjs';
import { STRATEGY_GUARDS } from './strategy-guards.mjs';
import { TAKEN_PAUSE_GUARDS } from './taken-pause-guards.mjs';
import { TOKEN_GUARDS } from './token-guards.mjs';
import { TRUST_GUARDS } from './trust-guards.mjs';
import { TURNING_HOLD_GUARDS } from './turning-hold-guards.mjs';
import { WATCHED_GATE_GUARDS } from './watched-gate-guards.mjs';

const COPIED = [
  'domain',
  'activities',
  'workflows',
  'workers',
  'config',
  'cli',
  'devserver',
  // The verifier that shares no code: both must say the same.
  'tools/audit-verify',
  // The nodes of the suites on a real sshd use its systemctl.
  'testbed',
  // Tests of the evidence in PostgreSQL apply its schema.
  'deploy',
  'test',
  'package.json',
  'jest.config.js',
  'tsconfig.json',
];

/** Ends a test run that hangs because its guard is missing; a hang counts as a failure, too. */
const LONGEST_RUN_MS = 900_000;

/** As test/support/postgres-server.ts finds it. */
const FIND_INITDB = 'command -v initdb || ls /usr/lib/postgresql/*/bin/initdb';

const { values } = parseArgs({
  options: { only: { type: 'string', default: '' }, jobs: { type: 'string' } },
});
const jobs = Number(values.jobs ?? availableParallelism());
const root = resolve(import.meta.dirname, '../..');
const hasNodes = process.getuid?.() === 0 && existsSync('/usr/sbin/sshd');
if (!hasNodes) console.log('guards of nodes over SSH are left out: they need root and sshd');
const hasPostgres = spawnSync('sh', ['-c', FIND_INITDB]).status === 0;
if (!hasPostgres)
  console.log('guards of evidence in PostgreSQL are left out: they need its server');
const guards = [
  ...[
    ...STRATEGY_GUARDS,
    ...ROLE_GUARDS,
    ...RULE_GUARDS,
    ...REHEARSED_FLEET_GUARDS,
    ...SIMULATED_METRIC_GUARDS,
    ...COMMAND_LINE_GUARDS,
    ...COMPARISON_GUARDS,
    ...PROBE_GUARDS,
    ...REPAIR_GUARDS,
    ...REPLAY_GUARDS,
    ...STANDING_GUARDS,
    ...OWN_RUN_GUARDS,
    ...WAVE_GUARDS,
    ...ACTIVITY_GUARDS,
    ...AGENT_GUARDS,
    ...AUTHORITY_GUARDS,
    ...ETCD_GUARDS,
    ...CLOCK_GUARDS,
    ...QUORUM_GUARDS,
    ...POLICY_SIGNING_GUARDS,
    ...FENCE_GUARDS,
    ...GONE_MACHINE_GUARDS,
    ...LOAD_GUARDS,
    ...MEMBER_GUARDS,
    ...PAYLOAD_GUARDS,
    ...POPULATION_GUARDS,
    ...ANCHOR_GUARDS,
    ...CARRIED_GUARDS,
    ...METRIC_SOURCE_GUARDS,
    ...OWN_COUNT_GUARDS,
    ...OWN_GATE_GUARDS,
    ...FLEET_LINT_GUARDS,
    ...BENCH_GUARDS,
    ...COUNT_GATE_GUARDS,
    ...FLEET_GUARDS,
    ...FLEET_APPROVAL_GUARDS,
    ...FLEET_AUDIT_GUARDS,
    ...FLEET_METRIC_GUARDS,
    ...FLEET_PEOPLE_GUARDS,
    ...FLEET_CALL_GUARDS,
    ...FLEET_CAP_GUARDS,
    ...FLEET_REHEARSAL_GUARDS,
    ...FLEET_REVISION_GUARDS,
    ...FLEET_SLOT_GUARDS,
    ...OBSERVATION_GUARDS,
    ...INTERPRETER_GUARDS,
    ...KUBELET_GUARDS,
    ...ACCESS_GUARDS,
    ...ACCOUNT_GUARDS,
    ...PREFLIGHT_GUARDS,
    ...CHECK_GUARDS,
    ...STALE_HOLDER_GUARDS,
    ...STATUS_GUARDS,
    ...TAKEN_PAUSE_GUARDS,
    ...TOKEN_GUARDS,
    ...TRUST_GUARDS,
    ...TURNING_HOLD_GUARDS,
    ...WATCHED_GATE_GUARDS,
    ...HOST_GUARDS,
    ...GUARD_MEMORY_GUARDS,
    ...HOOK_GUARDS,
    ...ALERT_GUARDS,
  ],
  ...(hasNodes ? SSH_GUARDS : []),
  ...(hasPostgres ? EVIDENCE_GUARDS : []),
].filter(({ name }) => new RegExp(values.only).test(name));
const waiting = [...guards];
const unchanged = new Map();
let noticed = 0;

await Promise.all(Array.from({ length: jobs }, workThrough));
console.log(`${guards.length} guards, ${noticed} noticed`);
process.exitCode = guards.length > 0 && noticed === guards.length ? 0 : 1;

/** Tests one guard after the other in one copy of the sources. */
async function workThrough() {
  const copy = await mkdtemp(join(tmpdir(), 'ccm-migrate-guards-'));
  try {
    for (const name of COPIED) await cp(join(root, name), join(copy, name), { recursive: true });
    // Workflow tests use the dev server that was built; workflow code is bundled from the copy.
    for (const built of ['node_modules', 'dist'])
      await symlink(join(root, built), join(copy, built));
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await tryWithout(copy, next);
    }
  } finally {
    await rm(copy, { recursive: true, force: true });
  }
}

/**
 * A guard that can be removed without a failing test protects nothing, so this run fails. So does a test that fails with the
 * guard in place: it would seem to notice everything.
 */
async function tryWithout(copy, guard) {
  if (!(await passesUnchanged(copy, guard))) {
    report(guard, `${guard.tests.join(', ')} does not pass before anything is changed`);
    return;
  }
  const path = join(copy, guard.file);
  const original = await readFile(path, 'utf8');
  if (original.split(guard.from).length !== 2) {
    report(guard, `${guard.file} does not hold exactly one ${JSON.stringify(guard.from)}`);
    return;
  }
  const startedAt = Date.now();
  await writeFile(
    path,
    original.replace(guard.from, () => guard.to),
  );
  const { ran, failed } = await runTests(copy, guard);
  await writeFile(path, original);
  const seconds = `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  if (!ran) report(guard, `no test of ${guard.tests.join(', ')} could be run`);
  else if (failed) report(guard, `noticed in ${seconds}`, true);
  else report(guard, `NOT NOTICED in ${seconds}`);
}

/** Whether the guard's tests pass on the sources as they are; each selection of tests is run once. */
function passesUnchanged(copy, { tests, only }) {
  const selection = JSON.stringify([tests, only]);
  const known = unchanged.get(selection);
  if (known !== undefined) return known;
  const passes = runTests(copy, { tests, only }).then(({ ran, failed }) => ran && !failed);
  unchanged.set(selection, passes);
  return passes;
}

/** `ran` distinguishes a failed test from a test run that never began. */
function runTests(copy, { tests, only }) {
  const jest = join(copy, 'node_modules/jest/bin/jest.js');
  const named = only === undefined ? [] : ['-t', only];
  const flags = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];
  const selected = ['--bail', '-i', '--silent', '--testPathPatterns', ...tests];
  return new Promise((resolved) => {
    const run = spawn(process.execPath, [...flags, jest, ...selected, ...named], {
      cwd: copy,
      // The suites on a real sshd belong to the lab's.
      env: { ...process.env, CCM_TEST_LAB: '1' },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: LONGEST_RUN_MS,
    });
    let said = '';
    run.stderr.on('data', (chunk) => (said += chunk));
    run.on('close', (code) => {
      const counted = /^Tests: +(?:(\d+) failed)?/m.exec(said);
      const broken = /Cannot find module|SyntaxError|ReferenceError/.test(said);
      resolved({
        ran: code === null || (counted !== null && !broken),
        failed: code === null || counted?.[1] !== undefined,
      });
    });
  });
}

function report({ name }, words, good = false) {
  if (good) noticed += 1;
  console.log(`${good ? 'ok  ' : 'FAIL'} ${name}: ${words}`);
}
