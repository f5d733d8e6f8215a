import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import type { PresetName } from '../../../testbed/simulator/cluster/cluster-spec.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import { fakeTerminal, ran } from '../fake-terminal.js';

/** Re-recorded with CCM_RECORD_GOLDEN=1; read the diff before you commit it. */
const RECORDS = process.env['CCM_RECORD_GOLDEN'] === '1';
const HERE = import.meta.dirname;
const SPEED = 20;

interface Environment {
  readonly folder: string;
  readonly simulator: RunningSimulator;
}

const BROKEN_POLICY = `apiVersion: ccm-migrate.dev/v1alpha1
kind: MigrationPolicy
metadata:
  name: broken
spec:
  sorce:
    version: 1.29
  soak: five minutes
`;

const environments = new Map<PresetName, Environment>();

beforeAll(async () => {
  for (const preset of ['in-tree', 'guide-130'] as const) environments.set(preset, await open(preset));
}, 60_000);

afterAll(async () => {
  for (const { simulator, folder } of environments.values()) {
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
});

/** A cluster that nothing changes, with its fleet in `fleet`. */
async function open(preset: PresetName): Promise<Environment> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-golden-'));
  // One node: with several, elections choose the leader, and the plan depends on it.
  const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, preset, nodes: 1 };
  const simulator = await startSimulator({
    ...{ clusters: [{ id: DEMO_CLUSTER, spec }], seed: 7, port: 0, speed: SPEED },
    stateDir: join(folder, 'simulator'),
  });
  const fleet = join(folder, 'fleet');
  await mkdir(fleet);
  await writeFleet(fleet, simulator.inventoryPath, SPEED);
  await cp(simulator.inventoryPath, join(fleet, 'inventory.yaml'));
  await mkdir(join(folder, 'broken'));
  await writeFile(join(folder, 'broken', 'policy.yaml'), BROKEN_POLICY);
  return { folder, simulator };
}

/** Masks what differs between test runs. */
function settled(text: string, { folder }: Environment): string {
  return text
    .replaceAll(folder, 'FOLDER')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
    .replace(/sha256:[0-9a-f]{64}/g, 'sha256:DIGEST')
    .replace(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, 'UUID');
}

const FLEET = ['-f', 'FOLDER/fleet'];
const SCREEN = { screen: true, width: 100 } as const;
const NARROW = { screen: true, width: 60 } as const;

describe('output for people', () => {
  it.each<[string, PresetName, readonly string[], Parameters<typeof fakeTerminal>[0]]>([
    ['check of a fresh cluster', 'in-tree', ['check', ...FLEET], {}],
    ['check on a screen', 'in-tree', ['check', ...FLEET], SCREEN],
    ["check after the guide's configuration", 'guide-130', ['check', ...FLEET], {}],
    ['check of warnings too', 'in-tree', ['check', ...FLEET, '--severity', 'warning'], {}],
    ['plan of a fresh cluster', 'in-tree', ['plan', ...FLEET], {}],
    ['plan on a narrow screen', 'in-tree', ['plan', ...FLEET], NARROW],
    ["plan after the guide's configuration", 'guide-130', ['plan', ...FLEET], {}],
    ['plan of nothing to do', 'in-tree', ['plan', ...FLEET, '--target', 'kcm'], {}],
    ['lint of broken files', 'in-tree', ['lint', 'FOLDER/broken'], {}],
    ['lint of broken files on a screen', 'in-tree', ['lint', 'FOLDER/broken'], SCREEN],
    ['explain', 'in-tree', ['explain', 'CCM1003'], {}],
  ])('the output is as recorded: %s', async (name, preset, argv, options) => {
    const environment = environments.get(preset);
    if (environment === undefined) throw new Error(`no environment ${preset}`);
    const words = argv.map((word) => word.replace('FOLDER', environment.folder));
    const { exit, stdout, stderr } = await ran(words, { terminal: fakeTerminal(options) });
    const said = `$ ccm-migrate ${argv.join(' ')}\n${stdout}${stderr}exit ${String(exit)}\n`;
    const file = join(HERE, `${name.replace(/[^a-z]+/g, '-')}.txt`);
    if (RECORDS) await writeFile(file, settled(said, environment));
    expect(settled(said, environment)).toBe(await readFile(file, 'utf8'));
  });
});
