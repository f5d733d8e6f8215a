import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCluster } from '../../../activities/adapters/connect.js';
import { closeTransports } from '../../../activities/adapters/shared-transports.js';
import { probeService } from '../../../activities/probes/probe-service.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { loadInventory } from '../../../config/loaded-inventories.js';
import { PROBE_NAMESPACE } from '../../../domain/probes/balancer-probe.js';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { startSimulator, type StartedSimulator } from '../../../testbed/simulator/server.js';
import { ran } from '../fake-terminal.js';

jest.setTimeout(60_000);

describe('a probe on the command line', () => {
  let folder = '';
  let simulator: StartedSimulator;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-probe-'));
    const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 1 };
    simulator = await startSimulator({
      ...{ clusters: [{ id: DEMO_CLUSTER, spec: { ...spec, preset: 'in-tree' } }] },
      ...{ seed: 7, port: 0, speed: 1, stateDir: join(folder, 'simulator') },
    });
    await mkdir(join(folder, 'fleet'));
    await writeFleet(join(folder, 'fleet'), simulator.inventoryPath, 1);
    await addProbe();
  });

  afterAll(async () => {
    await simulator.stop();
    await closeTransports();
    await rm(folder, { recursive: true, force: true });
  });

  const files = (): readonly string[] => [
    '-f',
    join(folder, 'fleet'),
    '-f',
    simulator.inventoryPath,
  ];
  const cleaned = (...more: readonly string[]): ReturnType<typeof ran> =>
    ran(['probe', 'clean', ...files(), ...more]);

  const addProbe = async (): Promise<void> => {
    for (const name of await readdir(join(folder, 'fleet'))) {
      const path = join(folder, 'fleet', name);
      const text = await readFile(path, 'utf8');
      if (!text.includes('kind: MigrationPolicy')) continue;
      await writeFile(path, `${text}  gates: { probes: { balancer: { within: 1m } } }\n`);
    }
  };

  const create = async (object: Parameters<Connected['api']['create']>[0]): Promise<void> => {
    const [cluster] = await loadInventory(simulator.inventoryPath);
    if (cluster === undefined) throw new Error('no cluster');
    const ports = await connectCluster(cluster);
    await ports.api.create(object);
    await ports.close();
  };
  type Connected = Awaited<ReturnType<typeof connectCluster>>;

  it('plan tells what it costs, and what keeps it from being made, until that is done', async () => {
    const before = await ran(['plan', ...files()]);
    expect(before.stdout).toMatch(
      /^Probe: one load balancer before the first change and after the handover, .* at most 3 min /m,
    );
    expect(before.stdout).toMatch(/probe of a load balancer; verify: /);
    expect(before.stdout).toMatch(/CCM1407.*\n?.*namespaces "ccm-migrate-probe" not found/);
    const namespace = { name: PROBE_NAMESPACE };
    await create({ apiVersion: 'v1', kind: 'Namespace', metadata: namespace });
    const after = await ran(['plan', ...files()]);
    expect(after.stdout).not.toContain('CCM1407');
  });

  it('clean deletes what is left, waits until it is gone, and says so', async () => {
    expect(await cleaned()).toMatchObject({
      ...{ exit: 0, stdout: `${DEMO_CLUSTER}: no probe has left anything\n` },
    });
    await create(probeService({}, 'a-run'));
    const { stdout, exit } = await cleaned('-o', 'json');
    const document: unknown = JSON.parse(stdout);
    const isValid = new Ajv({ strict: false }).compile(jsonSchemaOf('ProbeCleaning'));
    expect([isValid(document), isValid.errors]).toEqual([true, null]);
    expect(document).toMatchObject({ cluster: DEMO_CLUSTER, result: 'deleted' });
    expect(exit).toBe(0);
  });

  it('clean refuses a waiting time that is none', async () => {
    const { stderr, exit } = await cleaned('--timeout', 'soon');
    expect(stderr).toContain('--timeout soon: write a duration');
    expect(exit).not.toBe(0);
  });
});
