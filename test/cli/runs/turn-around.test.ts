import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import type { Cli } from '../../../cli/cli.js';
import { DEMO_CLUSTER, writeFleet } from '../../../testbed/demo/fleet-files.js';
import { SOURCE_VERSION, TARGET_VERSION } from '../../../cli/kubernetes-versions.js';
import { agreedPlan } from '../../../cli/plan/agreed-plan.js';
import { inspectFromHere } from '../../../cli/plan/inspect-cluster.js';
import { planTurnAround } from '../../../cli/runs/start-run.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { loadFleets, type Fleet } from '../../../config/fleet.js';
import type { RunningSimulator } from '../../../testbed/simulator/server/serve-clusters.js';
import { startSimulator } from '../../../testbed/simulator/server.js';
import type { ClusterMigrationInput } from '../../../workflows/messages.js';
import { fakeTerminal, type FakeTerminal } from '../fake-terminal.js';
import { endedView, PLAN_DIGEST } from '../given-runs.js';

const SPEED = 20;
const SIGNAL = new AbortController().signal;

let folder: string;
let simulator: RunningSimulator;
let fleet: Fleet;
let last: ClusterMigrationInput;

/** A cluster whose last run was stopped before its first step. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-turn-'));
  const spec = { version: SOURCE_VERSION, apiServerVersion: TARGET_VERSION, nodes: 1 };
  simulator = await startSimulator({
    ...{ clusters: [{ id: DEMO_CLUSTER, spec }], seed: 7, port: 0, speed: SPEED },
    stateDir: join(folder, 'simulator'),
  });
  await mkdir(join(folder, 'fleet'));
  await writeFleet(join(folder, 'fleet'), simulator.inventoryPath, SPEED);
  await cp(simulator.inventoryPath, inventory());
  const [loaded] = await loadFleets([join(folder, 'fleet')]);
  if (loaded === undefined) throw new Error('no fleet');
  fleet = loaded;
  const [cluster] = fleet.clusters;
  if (cluster === undefined) throw new Error('no cluster');
  const { name, policy, timings, materials } = fleet;
  const { uid } = await inspectFromHere(cluster, fleet, SIGNAL);
  last = {
    ...{ cluster: { name: cluster.name, uid }, region: cluster.region, fleet: name, wave: 'w-1' },
    ...{ target: 'ccm', policy, timings, materials, planDigest: PLAN_DIGEST },
    ...{ actor: 'ana', reason: 'r', ticket: '', stepTaskQueue: 's' },
    ...{ waitTaskQueue: 'w', guardTaskQueue: 'g' },
  };
}, 60_000);

afterAll(async () => {
  await simulator.stop();
  await rm(folder, { recursive: true, force: true });
});

function inventory(): string {
  return join(folder, 'fleet', 'inventory.yaml');
}

/** A server that returns the input of the last run. */
function clientWith(input: unknown): Client {
  const payloads = [defaultPayloadConverter.toPayload(input)];
  const events = [{ workflowExecutionStartedEventAttributes: { input: { payloads } } }];
  return {
    options: { namespace: 'default', loadedDataConverter: loadDataConverter() },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history: { events } }) },
  } as unknown as Client;
}

function cliWith(files: readonly string[], terminal: FakeTerminal = fakeTerminal()): Cli {
  return {
    options: { texts: () => files, text: () => null, flag: () => true },
    ...{ env: { CCM_MIGRATE_STATE_DIR: folder }, arguments: [], output: 'text', terminal },
    ...{ theme: createTheme({ color: false, ascii: false }), signal: SIGNAL },
  } as unknown as Cli;
}

const ENDED = { ...endedView({ stepsDone: 3 }), files: ['/of/the/last/run'] };

const turned = (input: unknown, files: readonly string[] = [inventory()]) =>
  planTurnAround(cliWith(files), clientWith(input), ENDED, 'ccm');

describe('reversing the direction after the end of a run', () => {
  it('the next run gets a new plan from the current cluster, shown first, and keeps policy and wave', async () => {
    const ready = await turned(last);
    expect(ready).toMatchObject({ wave: 'w-1', fleet: { name: fleet.name, policy: fleet.policy } });
    expect(ready.plan.steps.length).toBeGreaterThan(0);
    expect(ready.plan).toMatchObject({ target: 'ccm', cluster: { uid: last.cluster.uid } });
    expect(ready.plan.digest).not.toBe(last.planDigest);
    const terminal = fakeTerminal();
    expect(await agreedPlan(cliWith([], terminal), ready)).toBe('agreed');
    expect(terminal.stderr()).toContain(`${String(ready.plan.steps.length)} steps`);
  });

  it.each([
    ['ccm', 'CCM; begins at once', /^Effect: {4}manifests are changed/],
    ['kcm', 'KCM, as before the migration; begins at once', /^Rollback: {2}possible/],
  ] as const)(
    'turning to the %s shows its effect before the confirmation, as for an open run',
    async (target, goal, effect) => {
      const client = clientWith(last);
      const ready = await planTurnAround(cliWith([inventory()]), client, ENDED, target);
      expect(ready.effect).toEqual([
        `Target:    ${goal}`,
        'Now:       3 steps done, the KCM runs the cloud controllers',
        expect.stringMatching(effect),
      ]);
      const asked = async (yes: boolean): Promise<string> => {
        const terminal = fakeTerminal({ answers: ['y'] });
        const cli = cliWith([], terminal);
        const options = { ...cli.options, flag: (name: string) => yes && name === 'yes' };
        await agreedPlan({ ...cli, options }, ready);
        return terminal.stderr();
      };
      const lines = ready.effect?.join('\n') ?? '';
      expect((await asked(false)).startsWith(lines)).toBe(ready.plan.steps.length > 0);
      expect(await asked(true)).not.toContain(lines);
    },
  );

  it('the next run notes the files given now where they name a fleet, otherwise those of the last run', async () => {
    const whole = join(folder, 'fleet');
    expect((await turned(last, [whole])).files).toEqual([whole]);
    expect((await turned(last)).files).toEqual(ENDED.files);
    const here = { CCM_MIGRATE_INVENTORY: inventory() };
    const cli = { ...cliWith([]), env: here };
    const ready = await planTurnAround(cli, clientWith(last), ENDED, 'ccm');
    expect(ready.files).toEqual(['/of/the/last/run']);
  });

  it('the next run is refused by what preflight forbids now', async () => {
    const ccm = { ...fleet.policy.ccm, leaderMigration: 'absent' };
    const ready = await turned({ ...last, policy: { ...fleet.policy, ccm } });
    await expect(agreedPlan(cliWith([]), ready)).rejects.toMatchObject({
      code: 'CCM4107',
      exitStatus: 'checksFailed',
    });
  });

  it('the next run is refused when another cluster answers at the address', async () => {
    const cluster = { ...last.cluster, uid: 'uid-of-another' };
    await expect(turned({ ...last, cluster })).rejects.toMatchObject({ code: 'CCM4010' });
  });

  it('the next run is refused with a policy of another version', async () => {
    const { soakSeconds, ...policy } = fleet.policy;
    expect(soakSeconds).toBeGreaterThan(0);
    await expect(turned({ ...last, policy })).rejects.toMatchObject({
      code: 'CCM4022',
      fix: expect.stringContaining('ccm-migrate apply -f FILES'),
    });
  });

  it('the next run requires an inventory, and takes the one that `dev` noted', async () => {
    await expect(turned(last, [])).rejects.toThrow(/has ended, so the next one is planned first/);
    const note = { address: 'a', namespace: 'n', uiUrl: null, evidenceDir: 'e' };
    await writeFile(
      join(folder, 'server.json'),
      JSON.stringify({ ...note, inventories: [inventory()] }),
    );
    expect((await turned(last, [])).plan.target).toBe('ccm');
    await rm(join(folder, 'server.json'));
    const other = join(folder, 'other.yaml');
    const text = await readFile(inventory(), 'utf8');
    await writeFile(other, text.replaceAll(DEMO_CLUSTER, 'another'));
    await expect(turned(last, [other])).rejects.toMatchObject({ code: 'CCM5008' });
  });
});
