import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import type { Ran } from '../fake-terminal.js';
import { ran } from '../fake-terminal.js';
import { invocationOf, nextOf } from '../typed-line.js';

let root: string;
let simulator: RunningSimulator;

/** The first cluster in a wave of its own. */
function fleetText([pilot, ...main]: readonly string[]): string {
  return `apiVersion: ccm-migrate.dev/v1alpha1
kind: FleetMigration
metadata:
  name: home
spec:
  inventory: simulator
  policy: demo
  waves:
    - name: pilot
      selector: { names: [${pilot}] }
    - name: main
      selector: { names: [${main.join(', ')}] }
`;
}

type Cluster = Readonly<Record<string, unknown>> & { readonly name: string };

/** A fleet of these clusters in a folder of its own. */
async function fleetOf(name: string, change: (all: readonly Cluster[]) => readonly Cluster[]) {
  const folder = join(root, name);
  await mkdir(folder);
  await writeFleet(folder, simulator.inventoryPath, 20);
  const inventory = JSON.parse(await readFile(simulator.inventoryPath, 'utf8'));
  inventory.spec.clusters = change(inventory.spec.clusters);
  await writeFile(join(folder, 'inventory.yaml'), JSON.stringify(inventory));
  const names = (inventory.spec.clusters as readonly Cluster[]).map((each) => each.name);
  await writeFile(join(folder, 'fleet.yaml'), fleetText(names));
  return folder;
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleet-check-'));
  const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 1 };
  const guide = { ...spec, preset: 'guide-130' as const };
  simulator = await startSimulator({
    clusters: [
      { id: DEMO_CLUSTER, spec },
      { id: 'sim-2', spec },
      { id: 'sim-3', spec: guide },
      { id: 'sim-4', spec: guide },
    ],
    ...{ seed: 7, port: 0, speed: 20, stateDir: join(root, 'simulator') },
  });
}, 60_000);

afterAll(async () => {
  await simulator.stop();
  await rm(root, { recursive: true, force: true });
});

const NOBODY = ['--address', '127.0.0.1:1'];

async function checked(folder: string, ...flags: readonly string[]): Promise<Ran> {
  return ran(['check', '-f', folder, ...NOBODY, ...flags]);
}

describe('the check of a fleet', () => {
  it('reads every cluster, and one that cannot be read is a result among the others', async () => {
    const folder = await fleetOf('lost', ([first, ...others]) => [
      ...(first === undefined ? [] : [first, { ...first, name: 'sim-9', kubeconfig: 'no.conf' }]),
      ...others,
    ]);
    const { stdout, exit } = await checked(folder, '-o', 'json');
    const report = JSON.parse(stdout);
    expect(new Ajv({ strict: false }).compile(jsonSchemaOf('FleetCheckReport'))(report)).toBe(true);
    expect(exit).toBe(3);
    expect(report.unread).toMatchObject([{ name: 'sim-9', kind: 'refused', code: 'CCM5016' }]);
    expect(
      report.clusters.map(({ name, wave, uid }: Record<string, unknown>) => [
        name,
        wave,
        uid !== null,
      ]),
    ).toEqual([
      ['sim-1', 'pilot', true],
      ['sim-9', 'main', false],
      ['sim-2', 'main', true],
      ['sim-3', 'main', true],
      ['sim-4', 'main', true],
    ]);
    for (const { results } of report.checks) {
      const counts: readonly number[] = Object.values(results);
      expect(counts.reduce((sum, each) => sum + each, 0)).toBe(4);
    }
    const text = await checked(folder);
    expect(text.exit).toBe(3);
    expect(text.stdout).toMatch(/^Fleet home · 5 clusters in 2 waves · 4 read · 1 not read\n/);
    expect(text.stdout).toMatch(/✖ not read 1: CCM5016 · sim-9\n {4}.*no\.conf/);
    expect(text.stdout).toMatch(/passed in all 4 that were read · .*1 not read/);
  });

  it('an equal finding is told once, with its clusters', async () => {
    const folder = await fleetOf('equal', (all) => all);
    const { stdout, exit } = await checked(folder, '-o', 'json');
    const report = JSON.parse(stdout);
    expect(exit).toBe(3);
    const codes = report.findings.map(({ code }: { code: string }) => code);
    expect(codes).toEqual([...new Set(codes)]);
    const errors = report.findings.filter(
      ({ severity }: { severity: string }) => severity === 'error',
    );
    expect(errors.length).toBeGreaterThan(0);
    for (const { clusters } of errors) expect(clusters).toEqual(['sim-3', 'sim-4']);
    const [{ code }] = errors;
    const text = (await checked(folder)).stdout;
    expect(text.split(`✖ ${code} `)).toHaveLength(2);
    expect(text).toContain(`✖ ${code} · 2 clusters: sim-3, sim-4\n`);
    const next = await invocationOf(nextOf(text));
    expect(next).toMatchObject({ verb: { name: 'explain' }, arguments: [code] });
    const one = JSON.parse((await checked(folder, '--only', code, '-o', 'json')).stdout);
    expect(one.findings.map((each: { code: string }) => each.code)).toEqual([code]);
  });

  it('one cluster under two names is found, although each name alone is in order', async () => {
    const folder = await fleetOf('twice', ([first, second]) =>
      first === undefined || second === undefined ? [] : [first, second, { ...first, name: 'x' }],
    );
    const { stdout, exit } = await checked(folder, '-o', 'json');
    const found = JSON.parse(stdout).findings.find(
      ({ code }: { code: string }) => code === 'CCM4010',
    );
    expect(found).toMatchObject({
      ...{ severity: 'error', clusters: ['sim-1', 'x'] },
      seen: [{ seen: '2 names: sim-1, x' }],
    });
    expect(exit).toBe(3);
  });

  it('without a Temporal server it says that workers were not asked for, and is clear all the same', async () => {
    const folder = await fleetOf('clear', (all) => all.slice(0, 2));
    const { stdout, exit } = await checked(folder);
    expect(stdout).toMatch(
      /not checked: whether workers serve the fleet and its regions: no Temporal server answers/,
    );
    expect(exit).toBe(0);
    const next = await invocationOf(nextOf(stdout));
    expect(next).toMatchObject({ verb: { name: 'plan' }, options: { file: [folder] } });
  });

  it('a cluster that cannot be read keeps a check from being clear where nothing else is wrong', async () => {
    const folder = await fleetOf('away', ([first, second]) =>
      first === undefined || second === undefined
        ? []
        : [first, { ...second, kubeconfig: 'no.conf' }],
    );
    const { stdout, exit } = await checked(folder, '-o', 'json', '--severity', 'error');
    expect(JSON.parse(stdout).unread).toHaveLength(1);
    expect(exit).toBe(3);
  });

  it('clusters without node access are a preview that is never all clear', async () => {
    const folder = await fleetOf('preview', ([first, second]) =>
      first === undefined || second === undefined
        ? []
        : [first, { ...second, nodeAccess: { kind: 'none' } }],
    );
    const { stdout, exit } = await checked(folder, '--skip', 'CCM1210');
    expect(stdout).toContain('PREVIEW without node access, 1 cluster: sim-2. Not checked:');
    expect(exit).toBe(3);
  });

  it('one cluster of the files is checked as before', async () => {
    const folder = await fleetOf('one', (all) => all);
    const { stdout } = await checked(folder, '--cluster', 'sim-2', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'CheckReport', cluster: { name: 'sim-2' } });
  });
});
