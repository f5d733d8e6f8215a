import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { fleetInput } from '../../../cli/fleets/start-fleet.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { readPlan, readSavedPlan } from '../../../cli/plan/saved-plan.js';
import type { FleetPlanDocument } from '../../../config/outputs/fleet-plan-document.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import { ran } from '../fake-terminal.js';
import { invocationOf, nextOf } from '../typed-line.js';

let root: string;
let folder: string;
let simulator: RunningSimulator;

/** Two alike, one with fewer nodes, one without node access, one that is away. */
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-fleet-'));
  folder = join(root, 'fleet');
  await mkdir(folder);
  const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 3 };
  const clusters = [
    { id: DEMO_CLUSTER, spec },
    { id: 'sim-2', spec },
    { id: 'sim-3', spec: { ...spec, nodes: 1 } },
    { id: 'sim-5', spec },
  ];
  simulator = await startSimulator({
    ...{ clusters, seed: 7, port: 0, speed: 20 },
    stateDir: join(root, 'simulator'),
  });
  await writeFleet(folder, simulator.inventoryPath, 20);
  const inventory = JSON.parse(await readFile(simulator.inventoryPath, 'utf8'));
  const [first, ...others] = inventory.spec.clusters;
  inventory.spec.clusters = [first, ...others].map((cluster: { name: string }) =>
    cluster.name === 'sim-5' ? { ...cluster, nodeAccess: { kind: 'none' } } : cluster,
  );
  inventory.spec.clusters.push({ ...first, name: 'sim-6', kubeconfig: 'nowhere.kubeconfig' });
  await writeFile(join(folder, 'inventory.yaml'), JSON.stringify(inventory));
  await writeFile(join(folder, 'fleet.yaml'), FLEET);
}, 60_000);

afterAll(async () => {
  await simulator.stop();
  await rm(root, { recursive: true, force: true });
});

const FLEET = `apiVersion: ccm-migrate.dev/v1alpha1
kind: FleetMigration
metadata:
  name: home
spec:
  inventory: simulator
  policy: demo
  waves:
    - name: pilot
      selector: { names: [sim-6, sim-1] }
      canary: { names: [sim-6] }
      approvals: { before: required, approvers: [bo] }
    - name: main
      selector: { names: [sim-2, sim-3, sim-5] }
      soak: 30s
  rollout: { inFlight: 2, unproven: 3, caps: { region: 2 } }
`;

const files = (): readonly string[] => ['-f', folder];

async function planned(): Promise<FleetPlanDocument> {
  const { stdout, exit } = await ran(['plan', ...files(), '-o', 'json']);
  expect(exit).toBe(0);
  return JSON.parse(stdout) as FleetPlanDocument;
}

describe('the plan of a fleet', () => {
  it('clusters that can migrate are in waves and shapes, and each other one is left out with its reason', async () => {
    const plan = await planned();
    expect(plan).toMatchObject({ kind: 'FleetPlan', fleet: 'home', files: expect.any(Array) });
    expect(
      plan.clusters.map(({ name, wave, canary, shape }) => [name, wave, canary, shape]),
    ).toEqual([
      ['sim-1', 0, true, 0],
      ['sim-2', 1, false, 0],
      ['sim-3', 1, false, 1],
    ]);
    expect(plan.skipped.map(({ name, wave, kind, code }) => [name, wave, kind, code])).toEqual([
      ['sim-5', 1, 'preview', 'CCM4002'],
      ['sim-6', 0, 'refused', 'CCM5016'],
    ]);
    expect(plan.notes).toEqual(['wave pilot begins with sim-1: canary sim-6 is skipped']);
    expect(plan.shapes.map(({ example, clusters }) => [example, clusters])).toEqual([
      ['sim-1', ['sim-1', 'sim-2']],
      ['sim-3', ['sim-3']],
    ]);
    const [one, two] = plan.clusters;
    expect(one?.planDigest).not.toBe(two?.planDigest);
    const deleted = plan.shapes.flatMap(({ steps, clusters }) =>
      steps.filter(({ name }) => name === 'removeMachine').map(() => clusters.length),
    );
    expect(plan.totals).toMatchObject({
      clusters: 3,
      machinesDeleted: deleted.reduce((sum, each) => sum + each, 0),
    });
    expect(plan.totals.machinesDeleted).toBeGreaterThan(0);
    expect(plan.waves.map(({ policy }) => policy.soakSeconds)).toEqual([5, 30]);
    expect(plan.forecast.waves).toHaveLength(2);
    expect(plan.forecast.p50Ms).toBeGreaterThan(35_000);
  });

  it('a saved plan is the whole input of the run, and a changed one is refused', async () => {
    const out = join(root, 'plan.json');
    const { stdout, exit } = await ran(['plan', ...files(), '--out', out]);
    expect(exit).toBe(0);
    expect(stdout).toMatch(/control-plane machines are DELETED/);
    const next = await invocationOf(nextOf(stdout));
    expect(next).toMatchObject({ verb: { name: 'apply' }, arguments: [out] });
    const saved = await readSavedPlan(out);
    if (saved.kind !== 'FleetPlan') throw new Error('not a fleet');
    const who = { actor: 'ana', reason: 'CHG-1', ticket: '' };
    const { given } = fleetInput(saved, who);
    expect(given?.plan).toMatchObject({ requester: 'ana', planDigest: saved.digest, revision: 1 });
    expect(given?.plan.waves[0]).toMatchObject({ name: 'pilot', approvers: ['bo'] });
    expect(given?.waves.map(({ materials }) => materials.ccmManifest.length > 0)).toEqual([
      true,
      true,
    ]);
    expect(given?.members.map(({ planDigest }) => planDigest)).toEqual(
      saved.clusters.map(({ planDigest }) => planDigest),
    );
    await expect(readPlan(out)).rejects.toThrow(/it is of fleet home/);
    const text = await readFile(out, 'utf8');
    await writeFile(out, text.replace('"inFlight":2', '"inFlight":3'));
    await expect(readSavedPlan(out)).rejects.toMatchObject({ code: 'CCM4001' });
  });

  it('the text shows waves, limits, who is left out and why, and what is deleted', async () => {
    const { stdout } = await ran(['plan', ...files()]);
    const lines = stdout.split('\n').map((line) => line.replace(/ {2,}/g, ' | '));
    expect(lines[0]).toMatch(
      /^Fleet home · 3 clusters in 2 shapes · 2 waves · Target: CCM · plan sha256:/,
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^pilot \| 1 \| 1 \| 5.0 s \| 1 of 1 before \|/),
    );
    expect(lines).toContainEqual(
      expect.stringMatching(/^main \| 2 \| - \| 30.0 s \| - \|.*any time$/),
    );
    expect(stdout).toContain('2 in flight · 3 unproven · 2 for each region · failure budget 1');
    expect(stdout).toContain('✖ left out 1: sim-5 · CCM4002');
    expect(stdout).toContain('⚠ wave pilot begins with sim-1: canary sim-6 is skipped');
    expect(stdout.match(/addMachine/g)?.length).toBeGreaterThan(0);
  });

  it('one cluster of the files is planned as before', async () => {
    const { stdout, exit } = await ran(['plan', ...files(), '--cluster', 'sim-2', '-o', 'json']);
    expect(exit).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'MigrationPlan', cluster: { name: 'sim-2' } });
    const refused = await ran(['plan', ...files(), '--cluster', 'sim-1']);
    expect(refused.stderr).toContain('CCM5031');
  });

  it('a fleet is planned toward the CCM only', async () => {
    const { stderr, exit } = await ran(['plan', ...files(), '--target', 'kcm']);
    expect({ exit, stderr }).toEqual({
      exit: 64,
      stderr: expect.stringContaining('name one cluster with --cluster'),
    });
  });
});
