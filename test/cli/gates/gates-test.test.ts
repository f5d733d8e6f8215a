import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Ajv } from 'ajv';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { startSimulator, type StartedSimulator } from '../../../testbed/simulator/server.js';
import { type Counted, standInPrometheus } from '../../activities/gates/stand-in-prometheus.js';
import { ran } from '../fake-terminal.js';

jest.setTimeout(60_000);

describe('gates test', () => {
  let folder = '';
  let simulator: StartedSimulator;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-gates-'));
    const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 1 };
    simulator = await startSimulator({
      ...{ clusters: [{ id: DEMO_CLUSTER, spec: { ...spec, preset: 'in-tree' } }] },
      ...{ seed: 7, port: 0, speed: 1, stateDir: join(folder, 'simulator') },
    });
    await mkdir(join(folder, 'fleet'));
    await writeFleet(join(folder, 'fleet'), simulator.inventoryPath, 1);
  });

  afterAll(async () => {
    await simulator.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tested = (...more: readonly string[]): ReturnType<typeof ran> =>
    ran(['gates', 'test', '-f', join(folder, 'fleet'), '-f', simulator.inventoryPath, ...more]);

  it('gates of controllers that no manager runs yet are notes, until one does', async () => {
    const seen: string[] = [];
    while (!/^serviceProcessorStuck +pass/m.test(seen.at(-1) ?? '') && seen.length < 50) {
      const { stdout, exit } = await tested();
      // Without any process there is nothing to read, which is no health.
      expect(stdout.includes('no page was read yet') ? 8 : 0).toBe(exit);
      seen.push(stdout);
    }
    expect(seen.at(-1)).toMatch(/^serviceProcessorStuck +pass/m);
  });

  it('a quiet, healthy cluster: every gate says what it saw, and what it could not', async () => {
    const { stdout, stderr, exit } = await tested();
    expect({ stderr, exit }).toEqual({ stderr: '', exit: 0 });
    expect(stdout).toMatch(/^GATE +SAYS +VALUE +LIMIT\n/);
    expect(stdout).toMatch(/^nodeSyncErrors +note +0 of 0 +/m);
    expect(stdout).toMatch(/^serviceProcessorStuck +pass +0 s +120 s$/m);
    expect(stdout).toMatch(/^servicesKeepWorking +pass +- +-$/m);
    expect(stdout).toMatch(/^nodeSyncErrors: .*no harm would show/m);
  });

  it('-o json matches its published schema, with the numbers', async () => {
    const { stdout, exit } = await tested('-o', 'json', '--for', '1s');
    const document = JSON.parse(stdout) as { readonly gates: readonly object[] };
    const isValid = new Ajv({ strict: false }).compile(jsonSchemaOf('GateTest'));
    expect([isValid(document), isValid.errors]).toEqual([true, null]);
    expect(document).toMatchObject({ kind: 'GateTest', cluster: DEMO_CLUSTER });
    expect(document.gates).toContainEqual(
      expect.objectContaining({
        gate: 'serviceProcessorStuck',
        verdict: 'pass',
        numbers: expect.objectContaining({ unit: 'seconds', limit: 120, source: 'kcm on cp-1' }),
      }),
    );
    expect(exit).toBe(0);
  });

  it("judges the policy's own gates on the Prometheus of the inventory", async () => {
    const match = { cluster: DEMO_CLUSTER };
    const scraped = () => [{ value: '0.25', atMs: Date.now() - 3_000 }];
    const startedAtMs = Date.now() - 24 * 3_600_000;
    const counted = (atMs: number): Counted => {
      const scrapedAtMs = atMs - 3_000;
      return { picked: 0, total: Math.floor(scrapedAtMs / 1000), scrapedAtMs, startedAtMs };
    };
    const prometheus = standInPrometheus({ nowMs: () => Date.now(), scraped, counted }, match);
    await prometheus.start();
    try {
      const files = await withOwnGate(prometheus.url, match);
      const { stdout } = await ran(['gates', 'test', ...files.flatMap((file) => ['-f', file])]);
      expect(stdout).toMatch(/^ingressErrors +pass +0\.25 +0\.5$/m);
      expect(stdout).toMatch(/^callErrors +note +0 of 0 +10 %$/m);
      // The gauge, the past of what is counted, and what is counted now.
      expect(prometheus.queries).toHaveLength(3);
      expect(prometheus.queries[0]).toContain('min by (cluster) (timestamp(errors:ratio))');
    } finally {
      await prometheus.kill();
    }
  });

  /** The same files with a gate of the policy's own, and a Prometheus to judge it on. */
  const withOwnGate = async (url: string, match: object): Promise<readonly string[]> => {
    const own = join(folder, 'own');
    await cp(join(folder, 'fleet'), own, { recursive: true });
    for (const name of await readdir(own)) {
      const text = await readFile(join(own, name), 'utf8');
      if (!text.includes('kind: MigrationPolicy')) continue;
      const gate = '{ name: ingressErrors, kind: gauge, promql: "max by (cluster) (errors:ratio)", limit: { above: 0.5 } }'; // prettier-ignore
      const counting =
        '{ name: callErrors, kind: ratio, bad: calls_failed, total: calls_total, limit: 0.1 }';
      const gates = `  gates: { metrics: { own: [${gate}, ${counting}] } }\n`;
      await writeFile(join(own, name), `${text}${gates}`);
    }
    const inventory = await readFile(simulator.inventoryPath, 'utf8');
    const metrics = `"metrics": { "prometheus": ${JSON.stringify({ url, match })} },`;
    const path = join(dirname(simulator.inventoryPath), 'with-prometheus.json');
    await writeFile(path, inventory.replace('"kubeconfig"', `${metrics} "kubeconfig"`));
    return [own, path];
  };

  it.each([
    ['--for', 'soon', 'write a duration'],
    ['--for', '61m', 'a duration of at most 1h, such as 2m'],
  ])('%s %s is refused', async (flag, value, why) => {
    const { stderr, exit } = await tested(flag, value);
    expect(stderr).toContain(why);
    expect(exit).toBe(64);
  });
});
