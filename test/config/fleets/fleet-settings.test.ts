import { describe, expect, it } from '@jest/globals';
import { settingsOf } from '../../../config/fleet.js';
import { FLEET, INVENTORY, POLICY } from '../given-files.js';
import { STANDARD, fleetOf, fleetWith, lintFleet } from './given-fleet.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a fleet as written without waves', () => {
  it('is one wave with every cluster and the default limits', async () => {
    const fleet = await fleetOf(fleetWith(''));
    expect(fleet.rollout).toEqual({
      inFlight: 10,
      unproven: 40,
      caps: {},
      budget: { clusters: 1, counts: 'inFlight' },
      slowStart: 4,
      correlated: { failures: 3, sharePercent: 25 },
      stalledForMs: 10 * MINUTE,
      onFailure: 'hold',
      unreachable: 'skip',
      busy: 'wait',
      drifted: 'skip',
      retryAfterMs: 5 * MINUTE,
      approvalExpiryMs: 24 * HOUR,
      startAtMs: null,
      deadlineMs: null,
    });
    expect(fleet.waves).toEqual([
      {
        plan: {
          name: 'all',
          done: null,
          soakLimitMs: null,
          approvals: { before: 0, after: 0 },
          approvers: null,
          scheduled: false,
          rehearseRollback: false,
        },
        clusters: ['eu-1', 'eu-2', 'eu-3', 'us-1', 'us-2'],
        canaries: [],
        windows: [],
        excludedDates: [],
        settings: {
          name: 'all',
          policy: fleet.policy,
          timings: fleet.timings,
          materials: fleet.materials,
        },
      },
    ]);
  });

  it('is a fleet of one for one cluster, as before there were waves', async () => {
    const files = { 'eu.yaml': INVENTORY, 'policy.yaml': POLICY };
    const fleet = await fleetOf(FLEET, files);
    expect(fleet.waves.map(({ plan, clusters }) => [plan.name, clusters])).toEqual([
      ['all', ['prod-1']],
    ]);
    expect(fleet.rows).toEqual([
      {
        name: 'prod-1',
        wave: 0,
        canary: false,
        groups: ['region=default'],
        expectedMs: 15 * MINUTE,
      },
    ]);
    expect(fleet.rollout.budget.clusters).toBe(1);
  });
});

describe('a fleet of several inventories', () => {
  it('keeps for each cluster the file that defines it', async () => {
    const { clusters } = await fleetOf(fleetWith(''));
    const files = clusters.map(({ name, inventoryFile }) => [
      name,
      inventoryFile.split('/').at(-1),
    ]);
    expect(files).toEqual([
      ['eu-1', 'eu.yaml'],
      ['eu-2', 'eu.yaml'],
      ['eu-3', 'eu.yaml'],
      ['us-1', 'us.yaml'],
      ['us-2', 'us.yaml'],
    ]);
  });

  it('leaves out clusters in no wave where the rest is skipped', async () => {
    const fleet = await fleetOf(
      fleetWith(
        '  rest: skip\n  waves: [{ name: us, selector: { labels: { region: us } }, canary: {} }]\n',
      ),
    );
    expect(fleet.clusters.map(({ name }) => name)).toEqual(['us-1', 'us-2']);
    expect(fleet.rows.map(({ name, canary }) => [name, canary])).toEqual([
      ['us-1', true],
      ['us-2', false],
    ]);
  });

  it('lets a label named region stand for the region', async () => {
    const us = (await fleetOf(fleetWith(''))).rows.at(-1)?.groups;
    expect(us).toEqual(['region=us', 'tier=main']);
    const own = fleetWith(
      '  rest: skip\n  waves: [{ name: a, selector: { labels: { region: r7 } } }]\n',
    );
    const labelled =
      'apiVersion: ccm-migrate.dev/v1alpha1\nkind: ClusterInventory\nmetadata: { name: us }\nspec:\n' +
      "  clusters: [{ name: us-9, region: us, kubeconfig: k, labels: { region: r7, 'a=b': c } }]\n";
    const { rows } = await fleetOf(own, { 'us.yaml': labelled });
    expect(rows.map(({ name, groups }) => [name, groups])).toEqual([['us-9', ['region=r7']]]);
  });
});

describe('waves', () => {
  const FULL = fleetWith(`  waves:
    - name: pilot
      selector: { names: [us-2, eu-1] }
      canary: { names: [us-2], rehearseRollback: true }
      soak: 1h
      soakLimit: 3h
      done: {}
      approvals: { quorum: 2, approvers: [ana, ben] }
    - name: main
      selector: { names: [eu-2, eu-3, us-1] }
      canary: { count: 2 }
      approvals: { before: notRequired, after: required }
      windows: [{ days: [Mo], from: '20:00', to: '04:00', timeZone: Europe/Berlin }]
      policy: quick
`);
  const QUICK = STANDARD.replace('name: standard', 'name: quick').concat(
    '  timings: { effect: 1m, election: 30s }\n',
  );

  it('have what is written, and defaults', async () => {
    const { waves } = await fleetOf(FULL, { 'quick.yaml': QUICK });
    expect(waves.map(({ plan }) => plan)).toEqual([
      {
        name: 'pilot',
        done: { provenPercent: 95, withinMs: 24 * HOUR },
        soakLimitMs: 3 * HOUR,
        approvals: { before: 2, after: 0 },
        approvers: ['ana', 'ben'],
        scheduled: false,
        rehearseRollback: true,
      },
      {
        name: 'main',
        done: null,
        soakLimitMs: null,
        approvals: { before: 0, after: 1 },
        approvers: null,
        scheduled: true,
        rehearseRollback: false,
      },
    ]);
    expect(waves.map((wave) => [wave.canaries, wave.plan.rehearseRollback])).toEqual([
      [['us-2'], true],
      [['eu-2', 'eu-3'], false],
    ]);
  });

  it('give their clusters their own soak and policy', async () => {
    const fleet = await fleetOf(FULL, { 'quick.yaml': QUICK });
    const soaks = ['eu-1', 'eu-2', 'another'].map(
      (name) => settingsOf(fleet, { name }).policy.soakSeconds,
    );
    expect(soaks).toEqual([3600, 900, 900]);
    expect(settingsOf(fleet, { name: 'us-1' }).timings.effectMs).toBe(MINUTE);
    expect(fleet.rows.map(({ name, expectedMs }) => [name, expectedMs / MINUTE])).toEqual([
      ['eu-1', 15],
      ['eu-2', 7],
      ['eu-3', 7],
      ['us-1', 7],
      ['us-2', 15],
    ]);
  });

  it('are scheduled by dates alone', async () => {
    const { waves } = await fleetOf(
      fleetWith('  waves: [{ name: a, excludedDates: [2026-12-24] }]\n'),
    );
    expect(waves[0]?.plan.scheduled).toBe(true);
  });
});

describe('limits', () => {
  it.each<[string, object]>([
    ['inFlight: 3', { inFlight: 3, unproven: 12 }],
    ['inFlight: 3, unproven: 3', { unproven: 3 }],
    ['failureBudget: { clusters: 4 }', { budget: { clusters: 4, counts: 'inFlight' } }],
    ['failureBudget: { percent: 50% }', { budget: { clusters: 2, counts: 'inFlight' } }],
    ['failureBudget: { counts: untilProven }', { budget: { clusters: 1, counts: 'untilProven' } }],
    ['caps: { region: 2, tier: 3 }', { caps: { region: 2, tier: 3 } }],
    ["startAt: '2026-12-01T20:00:00+01:00'", { startAtMs: Date.UTC(2026, 11, 1, 19) }],
    ["deadline: '2026-12-01T20:00:00Z'", { deadlineMs: Date.UTC(2026, 11, 1, 20) }],
  ])('%s', async (written, expected) => {
    const fleet = await fleetOf(fleetWith(`  rollout: { ${written} }\n`));
    expect(fleet.rollout).toMatchObject(expected);
  });

  it.each(['1e9', '0', '-1', '1.5', '9007199254740993', '.inf', '.nan'])(
    'refuse %s clusters in flight',
    async (written) => {
      const { problems } = await lintFleet(fleetWith(`  rollout: { inFlight: ${written} }\n`));
      expect(problems.join()).toContain('fleet.yaml:7:24: spec.rollout.inFlight: ');
    },
  );
});
