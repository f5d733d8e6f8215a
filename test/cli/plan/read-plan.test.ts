import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type PlanParts, planDocument } from '../../../cli/plan/plan-document.js';
import { readPlan } from '../../../cli/plan/saved-plan.js';
import { durationMs } from '../../../config/duration.js';
import { jsonSchemaOf } from '../../../config/json-schemas.js';
import { plannedTimings } from '../../../config/outputs/planned-policy.js';
import { clusterOf, policyOf } from '../../support/cluster-builder.js';
import { TIMINGS, planText } from './given-plan.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-plan-'));
});
afterEach(async () => rm(folder, { recursive: true }));

async function read(text: string): Promise<unknown> {
  const path = join(folder, 'plan.json');
  await writeFile(path, text);
  return readPlan(path);
}

function without(whole: object, name: string): object {
  return Object.fromEntries(Object.entries(whole).filter(([key]) => key !== name));
}

const POLICY = policyOf();

describe('a saved plan', () => {
  it('a saved plan is read unchanged', async () => {
    expect(await read(await planText())).toMatchObject({ policy: POLICY, timings: TIMINGS });
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['no soak', { policy: without(POLICY, 'soakSeconds') }, /policy\.soakSeconds: required/],
    ['no waivers', { policy: without(POLICY, 'waivers') }, /policy\.waivers: required/],
    [
      'no action on a breach',
      { policy: without(POLICY, 'onBreach') },
      /policy\.onBreach: required/,
    ],
    [
      'gates of an older version',
      { policy: { ...POLICY, gates: 'off' } },
      /policy\.gates: unknown key/,
    ],
    [
      'an unknown key deep inside',
      { policy: { ...POLICY, ccm: { ...POLICY.ccm, imagee: 'x' } } },
      /policy\.ccm\.imagee: unknown key.*"?image"?/,
    ],
    ['a wait left out', { timings: without(TIMINGS, 'guardMs') }, /timings\.guardMs: required/],
    [
      'an unbounded budget',
      { policy: { ...POLICY, orphanBudgetMs: 1e12 } },
      /policy\.orphanBudgetMs: /,
    ],
    ['no manifest', { materials: {} }, /materials\.ccmManifest: required/],
    [
      'an absolute inventory path',
      { inventoryFile: '/home/ana/inventory.yaml' },
      /inventoryFile: must be a path from the folder of the plan/,
    ],
    [
      'absolute file paths',
      { files: ['fleet', '/home/ana/fleet'] },
      /files\S*1\S*: must be a path from the folder of the plan/,
    ],
    ['an unknown part', { shadow: true }, /shadow: unknown key/],
  ])(
    'a saved plan with %s is refused with the place of the problem and the remedy',
    async (_case, changes, problem) => {
      const refusal = await read(await planText(changes)).catch((error: unknown) => error);
      expect(refusal).toMatchObject({
        code: 'CCM4001',
        exitStatus: 'configInvalid',
        message: expect.stringMatching(problem),
        fix: expect.stringContaining('Plan again with this version'),
      });
      expect(refusal).toMatchObject({ message: expect.stringMatching(/plan\.json:\d+:\d+: /) });
    },
  );

  it('a plan of another version of the tool is refused, whatever its content', async () => {
    await expect(read(await planText({ tool: 'ccm-migrate 0.0.1-older' }))).rejects.toMatchObject({
      code: 'CCM4001',
      message: expect.stringContaining('was written by ccm-migrate 0.0.1-older'),
      fix: expect.stringContaining('Plan again'),
    });
  });

  it('a plan that was changed afterwards is refused', async () => {
    const text = (await planText()).replace('"soakSeconds": 0', '"soakSeconds": 1');
    expect(text).toContain('"soakSeconds": 1');
    await expect(read(text)).rejects.toMatchObject({
      code: 'CCM4001',
      message: expect.stringContaining('was changed after it was written'),
    });
  });

  it.each(['', '[]', '{"kind": "FleetMigration"}', 'kind: MigrationPlan'])(
    'the text %j is not a plan',
    async (text) => {
      await expect(read(text)).rejects.toThrow(/is not a plan of this tool/);
    },
  );
});

/** Where the configuration defines the bounds of a duration: in its schema. */
const WRITTEN: Readonly<Record<keyof typeof TIMINGS, readonly [string, string]>> = {
  requestMs: ['timings', 'request'],
  effectMs: ['timings', 'effect'],
  electionMs: ['timings', 'election'],
  pollMs: ['timings', 'poll'],
  fenceRenewMs: ['timings', 'fenceRenew'],
  fenceRenewIdleMs: ['timings', 'fenceRenewIdle'],
  guardMs: ['timings', 'guard'],
  guardIdleMs: ['timings', 'guardIdle'],
  guardWaitMs: ['timings', 'guardWait'],
  settleMs: ['timings', 'settle'],
  awaitChangeMs: ['timings', 'awaitChange'],
  stepTimeoutMs: ['timings', 'step'],
  heartbeatMs: ['timings', 'heartbeat'],
};

it.each(Object.entries(WRITTEN))(
  'the timing %s has the bounds of the configuration',
  (name, [part, key]) => {
    const spec = member(member(jsonSchemaOf('MigrationPolicy'), 'properties'), 'spec');
    const parts = member(member(member(spec, 'properties'), part), 'properties');
    const description = String(member(member(parts, key), 'description'));
    const [, low = '', high = ''] = /Between (\w+) and (\w+)\./.exec(description) ?? [];
    const accepts = (ms: number): boolean =>
      plannedTimings.safeParse({ ...TIMINGS, [name]: ms }).success;
    const [lowest, highest] = [durationMs(low), durationMs(high)];
    expect([lowest - 1, lowest, highest, highest + 1].map(accepts)).toEqual([
      ...[false, true, true, false],
    ]);
  },
);

function member(value: unknown, name: string): unknown {
  return Object.entries(value ?? {}).find(([key]) => key === name)?.[1];
}

it('a plan names its inventory relative to its own folder', () => {
  const observation = clusterOf({
    nodes: [{ kcm: 'inTree', ccm: 'none' }],
    kcmLeader: 0,
    ccmLeader: 'free',
    migration: 'free',
  });
  const parts = {
    fleet: { name: 'home', policy: POLICY, timings: TIMINGS, materials: { ccmManifest: 'x' } },
    cluster: { name: 'prod-1', region: 'default' },
    inspected: { notChecked: [], uid: 'uid-1', inspection: { snapshot: { observation } } },
    preview: { steps: [], ending: { kind: 'done' } },
    ...{ target: 'ccm', findings: [], changes: [], tool: 't', createdAt: 'now' },
  };
  const cluster = { ...parts.cluster, inventoryFile: '/srv/fleet/inventory.yaml' };
  const named = (plans: string): string =>
    planDocument({ ...parts, cluster, folder: plans } as unknown as PlanParts).inventoryFile;
  expect(named('/srv/plans')).toBe('../fleet/inventory.yaml');
  expect(named('/srv/fleet')).toBe('inventory.yaml');
});
