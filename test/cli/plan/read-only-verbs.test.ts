import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import type { Cli } from '../../../cli/cli.js';
import { optionReader } from '../../../cli/cli.js';
import { agreedPlan } from '../../../cli/plan/agreed-plan.js';
import { renewedPlan } from '../../../cli/plan/renewed-plan.js';
import { readPlan } from '../../../cli/plan/saved-plan.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { loadFleets } from '../../../config/fleet.js';
import { PREFLIGHT_CHECKS } from '../../../domain/preflight/preflight.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import type { FakeTerminal, Ran } from '../fake-terminal.js';
import { fakeTerminal, ran } from '../fake-terminal.js';
import { invocationOf, nextOf, typed } from '../typed-line.js';

const SPEED = 20;
let folder: string;
let simulator: RunningSimulator;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate look '));
  const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 3 };
  simulator = await startSimulator({
    ...{ clusters: [{ id: DEMO_CLUSTER, spec }], seed: 7, port: 0, speed: SPEED },
    stateDir: join(folder, 'simulator'),
  });
  const inventory = await readFile(simulator.inventoryPath, 'utf8');
  await fleetWith('whole', inventory, (policy) => policy);
  await fleetWith('none', withAccess(inventory, { kind: 'none' }), (policy) => policy);
  await fleetWith('unset', withAccess(inventory, undefined), (policy) => policy);
  await fleetWith('asked', inventory, (policy) =>
    policy.replace('  soak: 5s\n', '  soak: 30m\n  approvals:\n    handover: required\n'),
  );
}, 60_000);

afterAll(async () => {
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

async function fleetWith(
  name: string,
  inventory: string,
  change: (policy: string) => string,
): Promise<void> {
  const at = join(folder, name);
  await mkdir(at);
  await writeFleet(at, simulator.inventoryPath, SPEED);
  await writeFile(join(at, 'inventory.yaml'), inventory);
  await writeFile(join(at, 'policy.yaml'), change(await readFile(join(at, 'policy.yaml'), 'utf8')));
}

function withAccess(inventory: string, nodeAccess: unknown): string {
  const { spec, ...rest } = JSON.parse(inventory);
  const clusters = spec.clusters.map((cluster: object) => ({ ...cluster, nodeAccess }));
  return JSON.stringify({ ...rest, spec: { clusters } });
}

/** Read for a check only: two of them from nodes, one from the API. */
const BESIDE = [
  'API servers without cloud flags',
  'the API has an address of its own',
  'bootstrap roles untouched',
];

function notChecked(stdout: string): readonly string[] {
  return [...stdout.matchAll(/^ {2}\S+ (.+) \(not checked\)$/gm)].map(([, name = '']) => name);
}

const files = (name: string): readonly string[] => ['-f', join(folder, name)];

async function stepsOf(name: string): Promise<readonly string[]> {
  const { stdout } = await ran(['plan', ...files(name), '-o', 'json']);
  return JSON.parse(stdout)
    .steps.map((step: { name: string }) => step.name)
    .sort();
}

describe.each(['none', 'unset'])('without node access (%s)', (name) => {
  it('check is a preview that never passes, whatever flags leave out', async () => {
    const whole = await ran(['check', ...files(name)]);
    expect(whole.stdout).toMatch(/PREVIEW without node access.*\n.*static Pod manifests/);
    expect(whole.stdout).toContain('(presumed)');
    expect(whole.stdout).toContain('✖ CCM1210 control-plane nodes: no node access');
    expect(whole.exit).toBe(3);
    expect(notChecked(whole.stdout)).toEqual([
      ...['API servers without cloud flags', 'the API has an address of its own'],
      ...['the CCM has all rights', 'the gates can be read', 'the probe can be made'],
    ]);
    const skipped = await ran(['check', ...files(name), '--skip', 'CCM1210']);
    expect(skipped.exit).toBe(3);
    expect(skipped.stdout).not.toMatch(/^✔ \d+ of/m);
  });

  it('plan shows the same steps as with node access, and is saved as a preview that apply refuses', async () => {
    expect(await stepsOf(name)).toEqual(await stepsOf('whole'));
    const saved = join(folder, `${name}.json`);
    const planned = await ran(['plan', ...files(name), '--out', saved]);
    expect(planned.stdout).toContain('PREVIEW without node access');
    const applied = await ran(['apply', saved, '--reason', 'r', '-o', 'json']);
    expect(applied.exit).toBe(7);
    expect(JSON.parse(applied.stdout)).toMatchObject({ code: 'CCM4002', cluster: DEMO_CLUSTER });
    expect(applied.stderr).toContain('was made without access to the nodes');
  });
});

describe('without node access', () => {
  it('apply from files is refused before any question', async () => {
    const terminal = {
      ...fakeTerminal({ answers: ['y'] }),
      ask: () => Promise.reject(new Error('asked')),
    };
    const argv = ['apply', ...files('none'), '--reason', 'r', '--address', '127.0.0.1:1'];
    const applied = await ran(argv, { terminal });
    expect(applied.exit).toBe(7);
    expect(applied.stderr).toContain('CCM4002');
  });

  it('plan suggests check as the next command, never apply', async () => {
    const planned = await ran(['plan', ...files('none'), '--out', join(folder, 'seen.json')]);
    expect(planned.stdout).toMatch(/^Next: ccm-migrate check -f /m);
    expect(planned.stdout).not.toMatch(/^Next: .* apply/m);
  });
});

describe('a plan of three nodes', () => {
  it('a plan of three nodes fits two screens and shows a shared change once', async () => {
    const { stdout } = await ran(['plan', ...files('whole')]);
    expect(stdout.split('\n').length).toBeLessThanOrEqual(100);
    expect(stdout.match(/^ *\+ *- --enable-leader-migration=true$/gm)).toHaveLength(1);
    expect(stdout.match(/the same change as in \d\./g)).toHaveLength(2);
  });

  it('a plan ends with totals, the names of deleted machines, and the next command', async () => {
    const { stdout } = await ran(['plan', ...files('whole')]);
    expect(stdout).toMatch(/^Plan: +\d+ steps · add \d+ objects, \d+ files · change/m);
    expect(stdout).toMatch(/machines: create 3 \(.*\) · DELETE 3 \(.*cp-1.*\)/);
    expect(stdout).toMatch(/^Time: +about .* \+ 3 machines to boot/m);
    expect(stdout).toMatch(/^Gap: +no leader for about 1 to 4 s/m);
    expect(stdout).toMatch(/\nNext: ccm-migrate plan .*\n$/);
  });

  it('a plan shows its approval, verification and soak, and that the leader comes last', async () => {
    const { stdout } = await ran(['plan', ...files('asked')]);
    const lines = stdout.split('\n');
    const approval = lines.findIndex((line) => line.includes('waits for an approval'));
    expect(lines[approval + 1]).toMatch(/^ *\d+\. removeMachine/);
    expect(lines.filter((line) => /^ *\d+\. removeMachine/.test(line))).toHaveLength(3);
    expect(stdout.match(/waits for an approval/g)).toHaveLength(1);
    expect(stdout).toContain('verify: load balancers, Nodes and providerIDs');
    expect(stdout).toContain('then a soak of 30 min');
    expect(stdout).toContain('picks the order of nodes by who leads at that time');
    expect((await ran(['plan', ...files('whole')])).stdout).not.toContain('waits for an approval');
  });
});

describe('check', () => {
  it('check shows what passed, the cluster and its leader, and counts its checks', async () => {
    const { stdout, exit } = await ran(['check', ...files('whole')]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/^Cluster: +sim-1 \(.+\)\nVersions: .*1\.30\.14.*1\.29\.15/);
    expect(stdout).toMatch(/^Nodes: +3 control-plane nodes \(cp-1, cp-2, cp-3\)/m);
    expect(stdout).toMatch(/^Leader: +the KCM runs the cloud controllers \(cp-\d\)$/m);
    expect(stdout).toContain('  ✔ leader election is on\n');
    for (const name of BESIDE) expect(stdout).toContain(`  ✔ ${name}\n`);
    expect(notChecked(stdout)).toEqual(['the CCM has all rights', 'the probe can be made']);
    expect(stdout).toMatch(/⚠ \d+ of \d+ checks passed · 0 errors, 1 warning, 1 note\n/);
    // Checks with findings and checks not made are not among those that passed.
    const marked = stdout.match(/^ {2}✔ /gm)?.length;
    expect(stdout).toContain(
      `⚠ ${String(marked)} of ${String(PREFLIGHT_CHECKS.length)} checks passed`,
    );
  });
});

describe('apply', () => {
  it('apply looks for Temporal before it observes the cluster or asks a question', async () => {
    const terminal = {
      ...fakeTerminal({ answers: ['y'] }),
      ask: () => Promise.reject(new Error()),
    };
    const nobody = ['--address', '127.0.0.1:1'];
    const asked = await ran(['apply', ...files('whole'), '--reason', 'r', ...nobody], { terminal });
    expect(asked.exit).toBe(1);
    expect(asked.stderr).toContain('CCM4020');
    expect(asked.stderr).not.toContain('Target:');
  }, 30_000);

  it('apply asks with a summary for a new plan, not at all for a saved one, and prints no plan without a terminal', async () => {
    const saved = join(folder, 'saved.json');
    await ran(['plan', ...files('whole'), '--out', saved]);
    const plan = await readPlan(saved);
    const fleets = await loadFleets([join(folder, 'whole')]);
    const [fleet] = fleets;
    const [cluster] = fleet?.clusters ?? [];
    if (fleet === undefined || cluster === undefined) throw new Error('no fleet');
    const agree = async (
      state: 'asked' | 'agreedOn',
      terminal: FakeTerminal,
      options: Readonly<Record<string, unknown>> = {},
    ): Promise<{ readonly answer: string; readonly lines: number }> => {
      const theme = createTheme({ color: false, ascii: false });
      const cli: Cli = {
        ...{ terminal, theme, output: 'text', env: {}, arguments: [], typed: [] },
        ...{ signal: new AbortController().signal, options: optionReader(options) },
      };
      const answer = await agreedPlan(cli, { plan, cluster, fleet, files: [] }, state);
      return { answer, lines: terminal.stderr().split('\n').length - 1 };
    };
    const brief = { answer: 'agreed', lines: 6 };
    expect(await agree('asked', fakeTerminal({ answers: ['y'] }))).toEqual(brief);
    expect(await agree('asked', fakeTerminal({ answers: ['n'] }))).toMatchObject({
      answer: 'declined',
    });
    expect(await agree('agreedOn', fakeTerminal({ answers: ['n'] }))).toEqual(brief);
    expect(await agree('agreedOn', fakeTerminal())).toEqual({ answer: 'agreed', lines: 0 });
    expect(await agree('asked', fakeTerminal(), { yes: true })).toEqual({
      answer: 'agreed',
      lines: 0,
    });
    const full = await agree('agreedOn', fakeTerminal(), { full: true });
    expect(full.lines).toBeGreaterThan(100);
  });
});

it('a plan that was made before the cluster was rebuilt says so, and not what differs in it', async () => {
  const path = join(folder, 'rebuilt.json');
  await ran(['plan', ...files('whole'), '--out', path]);
  const plan = await readPlan(path);
  const old = { ...plan, cluster: { ...plan.cluster, uid: 'uid-old' }, digest: 'sha256:0' };
  await expect(renewedPlan(path, old, new AbortController().signal)).rejects.toMatchObject({
    code: 'CCM4010',
    message: `${plan.cluster.name}: ${path} was made for the cluster uid-old, and ${plan.cluster.uid} answers`,
    why: expect.stringContaining('It was rebuilt since'),
    state: 'nothing was changed',
  });
});

describe('each Next line', () => {
  it.each<[string, () => Promise<Ran>]>([
    ['check', () => ran(['check', ...files('whole')])],
    ['check of one cluster', () => ran(['check', ...files('whole'), '--cluster', DEMO_CLUSTER])],
    ['check without node access', () => ran(['check', ...files('none')])],
    ['plan', () => ran(['plan', ...files('whole')])],
    [
      'plan on a screen',
      () => ran(['plan', ...files('whole')], { terminal: fakeTerminal({ screen: true }) }),
    ],
    ['plan without node access', () => ran(['plan', ...files('none')])],
    ['plan of nothing to do', () => ran(['plan', ...files('whole'), '--target', 'kcm'])],
    [
      'plan that is saved',
      () => ran(['plan', ...files('whole'), '--out', join(folder, "it's.json")]),
    ],
  ])('the Next line can be typed verbatim: %s', async (_, run) => {
    const { stdout } = await run();
    const next = nextOf(stdout);
    const words = typed(next);
    expect(await invocationOf(next)).not.toBeNull();
    for (const path of words.filter((word) => word.startsWith(folder)))
      expect(await exists(path)).toBe(true);
  });
});

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
