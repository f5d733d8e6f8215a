import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { optionReader } from '../../../../cli/cli.js';
import { UsageError } from '../../../../cli/cli-error.js';
import { loadFleets, type Fleet } from '../../../../config/fleet.js';
import {
  readRehearsed,
  writeRehearsed,
} from '../../../../testbed/demo/rehearsal/rehearsal-files.js';
import { rehearsalNotes } from '../../../../testbed/demo/rehearsal/rehearsal-notes.js';
import { rehearsalSettings } from '../../../../testbed/demo/rehearsal/rehearsal-settings.js';
import { rehearsedWaves } from '../../../../testbed/demo/rehearsal/rehearsed-clusters.js';
import { inventoryText } from '../../../../testbed/simulator/server/inventory-file.js';
import { parseOptions } from '../../../../testbed/simulator/simulator-options.js';
import { withFiles } from '../../../config/given-files.js';
import { filesOfFleet } from './given-files-of-fleet.js';

const CLUSTERS = [
  ...(['a.1', 'a.2'] as const).map((name) => [name, 'eu.west'] as const),
  ...(['b1', 'b2', 'b3', 'b4'] as const).map((name) => [name, 'eu.west'] as const),
  ...(['b5', 'b6'] as const).map((name) => [name, 'us'] as const),
];

const FLEET = {
  waves: [
    { name: 'pilot', selector: { labels: { tier: 'pilot' } }, soak: '1h' },
    {
      ...{ name: 'main', selector: { labels: { tier: 'main' } } },
      ...{ canary: { names: ['b2'], rehearseRollback: true }, done: {} },
      approvals: { after: 'required', quorum: 2, approvers: ['ana', 'ben', 'chris'] },
      ...{ windows: [{ days: ['Su'] }], excludedDates: ['2026-12-24'] },
    },
  ],
  rollout: {
    ...{ inFlight: 3, unproven: 5, caps: { region: 2 }, failureBudget: { clusters: 4 } },
    ...{ startAt: '2199-01-01T00:00:00Z', deadline: '2199-02-01T00:00:00Z', retryAfter: '1h' },
  },
};

interface Rewritten {
  readonly fleet: Fleet;
  readonly notes: readonly string[];
}

/** The fleet as the product reads it once the simulator has read its shape and written its inventory. */
async function rewritten(
  fleet: object,
  flags: Readonly<Record<string, string>> = {},
): Promise<Rewritten> {
  const settings = rehearsalSettings(optionReader(flags));
  return withFiles(await filesOfFleet(CLUSTERS, fleet), async (folder) => {
    const set = await readRehearsed([folder], settings);
    const out = join(folder, 'out');
    await mkdir(out);
    await writeRehearsed(out, set, settings);
    const parsed = parseOptions(['--shape', join(out, 'shape.yaml')]);
    if (parsed.kind !== 'run') throw new Error(JSON.stringify(parsed));
    const entries = parsed.options.simulator.clusters.map(({ id, particulars }) => ({
      ...{ id, region: 'default', labels: particulars?.labels ?? {} },
      ...{ kubeconfig: `/${id}.kubeconfig`, server: 'https://127.0.0.1:1' },
    }));
    const inventory = join(folder, 'simulated.yaml');
    await writeFile(inventory, inventoryText(entries));
    const [only] = await loadFleets([out, inventory].flatMap((each) => [each]));
    if (only === undefined) throw new Error('no fleet');
    const policies = set.policies.map(({ spec }) => spec);
    const rehearsed = { fleet: set.written.spec, policies, waves: set.waves };
    return { fleet: only, notes: rehearsalNotes(rehearsed, settings) };
  });
}

describe('the files of a rehearsal', () => {
  it('waves, members, canaries, limits and approvals are those of the fleet', async () => {
    const { fleet } = await rewritten(FLEET);
    expect(fleet.name).toBe('prod');
    expect(
      fleet.waves.map(({ plan, clusters, canaries }) => [plan.name, clusters, canaries]),
    ).toEqual([
      ['pilot', ['a.1', 'a.2'], []],
      ['main', ['b2', 'b1', 'b5', 'b3', 'b6', 'b4'], ['b2']],
    ]);
    expect(fleet.waves[1]?.plan).toMatchObject({
      ...{ approvals: { before: 2, after: 2 }, rehearseRollback: true },
      done: { provenPercent: 95 },
    });
    expect(fleet.rollout).toMatchObject({
      ...{ inFlight: 3, unproven: 5, caps: { region: 2 }, budget: { clusters: 4 } },
    });
  });

  it('a cluster keeps its region as the label that caps and selectors know', async () => {
    const { fleet } = await rewritten(FLEET);
    const groups = Object.fromEntries(fleet.rows.map((row) => [row.name, row.groups]));
    expect(groups['a.1']).toEqual(['region=eu.west', 'tier=pilot']);
    expect(groups['b6']).toEqual(['region=us', 'tier=main']);
  });

  it('nothing waits for a date, a named person, a handover or a long soak', async () => {
    const { fleet } = await rewritten(FLEET);
    expect(fleet.rollout).toMatchObject({ startAtMs: null, deadlineMs: null, retryAfterMs: 5_000 });
    for (const { plan, windows, excludedDates, settings } of fleet.waves) {
      expect(plan).toMatchObject({ scheduled: false, approvers: null });
      expect([...windows, ...excludedDates]).toEqual([]);
      expect(settings.policy).toMatchObject({
        ...{ soakSeconds: 5, handoverApproval: 'notRequired', autoRepair: 'frozen' },
      });
    }
  });

  it("the policy keeps its strategy, nodes and gates, with the simulator's provider, images and versions", async () => {
    const { fleet } = await rewritten(FLEET, { soak: '7s' });
    expect(fleet.policy).toMatchObject({
      ...{ strategy: 'leaderMigration', onBreach: 'rollBack', soakSeconds: 7 },
      nodes: { forward: 'inPlace', rollback: 'inPlace' },
      source: {
        ...{ version: '1.29.15', cloudProvider: 'labcloud' },
        kcmImage: 'registry.k8s.io/kube-controller-manager:v1.29.15',
      },
    });
    expect(fleet.policy.ccm.accessRules).toEqual([]);
    expect(fleet.policy.metricGates).not.toHaveProperty('own');
  });

  it('what is assumed and left out is said', async () => {
    const { notes } = await rewritten(FLEET, { clusters: '4' });
    expect(notes).toEqual([
      '4 of 8 clusters are left out (--clusters 4): wave main 2 of 6; limits in percent count the others',
      expect.stringContaining('three nodes, left as in-tree'),
      expect.stringContaining("durations are the simulator's, at 3 simulated seconds a second"),
      'soaks last 5s, and a start is tried again after 5s',
      'windows and excluded dates are left out: waves main',
      'startAt and deadline left out',
      'approvals are given by the rehearsal: waves main',
      "gates of the policies' own (gates.metrics.own) are left out",
      'approvals of handovers are left out',
      'a cluster that is held is rolled back by the rehearsal',
    ]);
  });

  it('a fleet without all this says only what is assumed', async () => {
    const { notes } = await rewritten({ rollout: { onFailure: 'rollBack' } });
    expect(notes).toHaveLength(5);
  });
});

describe('the clusters of a rehearsal', () => {
  const wave = (name: string, clusters: readonly string[], canaries: readonly string[] = []) =>
    ({ plan: { name }, clusters, canaries }) as unknown as Fleet['waves'][number];
  const clusters = CLUSTERS.map(([name, region]) => ({
    name,
    region,
  })) as unknown as Fleet['clusters'];

  it.each<[number, readonly (readonly string[])[]]>([
    [
      8,
      [
        ['a.1', 'a.2'],
        ['b2', 'b1', 'b5', 'b3', 'b6', 'b4'],
      ],
    ],
    [
      5,
      [
        ['a.1', 'a.2'],
        ['b2', 'b1', 'b5'],
      ],
    ],
    [2, [['a.1'], ['b2']]],
    [1, [['a.1'], []]],
  ])(
    'of two waves with eight clusters at most %i are taken: waves, canaries and regions in turn',
    (most, expected) => {
      const all = CLUSTERS.map(([name]) => name);
      const fleet = {
        clusters,
        waves: [wave('pilot', all.slice(0, 2)), wave('main', all.slice(2), ['b2'])],
      };
      const taken = rehearsedWaves(fleet, most);
      expect(taken.map((each) => each.clusters)).toEqual(expected);
      expect(taken.map(({ all: of }) => of)).toEqual([2, 6]);
    },
  );

  it('a wave for which nothing is left is not rehearsed', async () => {
    const { fleet } = await rewritten(
      {
        waves: ['a.1', 'a.2', 'b1', 'b2', 'b3', 'b4', 'b5', 'b6'].map((name) => ({
          name,
          selector: { names: [name] },
        })),
      },
      { clusters: '2' },
    );
    expect(fleet.waves.map(({ plan }) => plan.name)).toEqual(['a.1', 'a.2']);
  });
});

describe('what cannot be rehearsed', () => {
  it.each<[string, Readonly<Record<string, string>>, object]>([
    ['--clusters 1: a fleet has at least two', { clusters: '1' }, {}],
    ['--clusters 2.5: write a whole number', { clusters: '2.5' }, {}],
    ['--soak soon: write a duration', { soak: 'soon' }, {}],
    ['--soak 48h: must be between 0s and 24h', { soak: '48h' }, {}],
    ['the files name one cluster', {}, { clusters: { names: ['b1'] } }],
  ])('%s', async (message, flags, fleet) => {
    const refused = rewritten(fleet, flags);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
  });
});
