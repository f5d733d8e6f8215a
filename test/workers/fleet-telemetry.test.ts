import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Runtime } from '@temporalio/worker';
import { pino } from 'pino';
import { freePort } from '../../devserver/free-port.js';
import { ENDED_FLEET, gaugesOf } from '../../domain/fleet/fleet-gauges.js';
import { installRuntime, type WorkerMetrics } from '../../workers/telemetry.js';
import { APPROVED_BEFORE, GivenFleet, HOUR } from '../domain/fleet/given-fleet.js';
import { type Series, scrape } from '../support/scraped-metrics.js';

let address: string;
let metrics: WorkerMetrics;
beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  address = `127.0.0.1:${port}`;
  metrics = installRuntime(pino({ level: 'silent' }), { host: '127.0.0.1', port });
});
afterAll(() => Runtime.instance().shutdown());

const fleet = new GivenFleet({ waves: [APPROVED_BEFORE] }).tick(HOUR);

/** What is shown of one fleet, or of none in particular. */
async function shown(name: string): Promise<readonly Series[]> {
  const series = await scrape(address);
  return series.filter(({ labels }) => labels['fleet'] === undefined || labels['fleet'] === name);
}

async function valueOf(name: string, labels: Series['labels']): Promise<number | undefined> {
  const wanted = Object.entries(labels);
  const series = await scrape(address);
  return series.find(
    (each) => each.name === name && wanted.every(([label, value]) => each.labels[label] === value),
  )?.value;
}

describe('metrics of fleets', () => {
  it('Prometheus reads every figure of a fleet', async () => {
    metrics.fleets.show('prod', gaugesOf(fleet.state, 'prod', fleet.atMs), 0);
    const of = { fleet: 'prod' };
    expect(await valueOf('ccm_migrate_fleet_clusters', { ...of, state: 'waiting' })).toBe(6);
    expect(await valueOf('ccm_migrate_fleet_clusters', { ...of, state: 'proven' })).toBe(0);
    expect(await valueOf('ccm_migrate_fleet_left_out', { ...of, cause: 'unreachable' })).toBe(0);
    expect(await valueOf('ccm_migrate_fleet_budget_left', of)).toBe(100);
    const blocked = { ...of, reason: 'approvalBefore' };
    expect(await valueOf('ccm_migrate_fleet_blocked', blocked)).toBe(1);
    expect(await valueOf('ccm_migrate_fleet_blocked', { ...of, reason: 'cap' })).toBe(0);
    expect(await valueOf('ccm_migrate_fleet_need_you_oldest_seconds', of)).toBe(3600);
    expect(await valueOf('ccm_migrate_fleet_unread_seconds', of)).toBe(0);
  });

  it('a fleet that did not answer keeps its figures, and shows how old they are', async () => {
    metrics.fleets.show('away', gaugesOf(fleet.state, 'away', fleet.atMs), 0);
    const before = await shown('away');
    metrics.fleets.show('away', null, 90_000);
    const after = await shown('away');
    expect(after.filter((each) => !before.some((one) => isSame(one, each)))).toMatchObject([
      { name: 'ccm_migrate_fleet_unread_seconds', value: 90 },
    ]);
  });

  it('the time of the last list is Unix time', async () => {
    metrics.fleets.showListed(1_700_000_000_000);
    expect(await valueOf('ccm_migrate_fleets_listed_timestamp_seconds', {})).toBe(1_700_000_000);
  });

  it('of a fleet that has ended no series keeps a figure', async () => {
    metrics.fleets.show('over', gaugesOf(fleet.state, 'over', fleet.atMs), 0);
    metrics.fleets.show('over', ENDED_FLEET, 0);
    const series = (await scrape(address)).filter(({ labels }) => labels['fleet'] === 'over');
    expect(series.length).toBeGreaterThan(30);
    expect(series.filter(({ value }) => value !== 0)).toEqual([]);
  });
});

function isSame(a: Series, b: Series): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
