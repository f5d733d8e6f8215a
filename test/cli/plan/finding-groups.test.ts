import { expect, it } from '@jest/globals';
import { servingFindings } from '../../../cli/plan/fleet-findings.js';
import { groupFindings } from '../../../cli/plan/finding-groups.js';
import { fleetCheckText } from '../../../cli/plan/fleet-check-text.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import type { Finding } from '../../../domain/findings/finding.js';
import { FINDING } from '../given-runs.js';
import { exampleFleet } from './given-fleet-plan.js';

function at(cluster: string, changes: Partial<Finding> = {}) {
  return { finding: { ...FINDING, ...changes }, clusters: [cluster] };
}

it('findings that differ in what was seen are one, with each sighting and its clusters', () => {
  const [group, ...others] = groupFindings([
    at('a', { seen: 'one' }),
    at('b', { seen: 'two' }),
    at('c', { seen: 'one' }),
  ]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({ code: FINDING.code, clusters: ['a', 'b', 'c'] });
  expect(group?.seen.map(({ seen, clusters }) => [seen, clusters])).toEqual([
    ['one', ['a', 'c']],
    ['two', ['b']],
  ]);
});

it('the most severe comes first, then what most clusters have; another advice is another finding', () => {
  const groups = groupFindings([
    at('a', { code: 'CCM1001', severity: 'warning' }),
    at('a', { code: 'CCM1002', severity: 'error' }),
    at('a', { code: 'CCM1003', severity: 'error' }),
    at('b', { code: 'CCM1003', severity: 'error' }),
    at('c', { code: 'CCM1003', severity: 'error', fix: 'another' }),
  ]);
  expect(groups.map(({ code, clusters }) => [code, clusters.length])).toEqual([
    ['CCM1003', 2],
    ['CCM1002', 1],
    ['CCM1003', 1],
    ['CCM1001', 1],
  ]);
});

it('the text of a thousand clusters stays a few lines, whatever differs between them', () => {
  const clusters = Array.from({ length: 1000 }, (_, index) => ({
    ...{ name: `c${index}`, wave: 'all', region: 'r', uid: `${index}`, observationDigest: null },
    notChecked: [],
  }));
  const findings = groupFindings(clusters.map(({ name }) => at(name, { seen: `node of ${name}` })));
  const unread = clusters.slice(0, 500).map(({ name }) => ({
    ...{ name, kind: 'unreachable' as const, code: 'CCM4011', seen: `${name} is away`, fix: 'fix' },
  }));
  const check = { fleet: 'f', clusters, unread, findings, checks: [], notChecked: [] };
  const text = fleetCheckText(check, 'next', createTheme({ color: false, ascii: false }));
  expect(text.split('\n').length).toBeLessThan(25);
  expect(text).toContain('… and 997 more lines');
  expect(text).toContain('c5 and 994 more');
});

it('a region that no worker serves, or with too few guard slots, names its clusters', async () => {
  const fleet = await exampleFleet();
  const regions = [...new Set(fleet.clusters.map(({ region }) => region))];
  const [one = '', two = ''] = regions;
  const there = fleet.clusters.filter(({ region }) => region === two).map(({ name }) => name);
  const needed = Math.min(fleet.rollout.unproven, there.length);
  const served = (slots: number, full: readonly string[] = []) =>
    servingFindings(fleet, {
      full,
      queues: ['ccm-migrate-fleets', 'q1'],
      regions: [{ region: one, queues: ['q1'] }],
      guardSlots: [{ region: two, slots }],
      slotsUnknown: [],
    });
  const all = fleet.clusters.map(({ name }) => name);
  expect(served(needed).map(({ finding, clusters }) => [finding.subject, clusters])).toEqual([
    ['fleet', all],
    [`region ${one}`, fleet.clusters.filter((c) => c.region === one).map(({ name }) => name)],
  ]);
  const [, , few] = served(needed - 1);
  expect(few).toMatchObject({
    finding: { code: 'CCM4032', severity: 'warning', subject: `region ${two}` },
    clusters: there,
  });
  expect(few?.finding.seen).toContain(`${needed} clusters may be unproven there`);
  expect(served(needed, [two]).at(-1)).toMatchObject({
    finding: { code: 'CCM4038', severity: 'info', subject: `region ${two}` },
    clusters: there,
  });
});
