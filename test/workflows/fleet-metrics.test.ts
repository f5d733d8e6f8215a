import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { freePort } from '../../devserver/free-port.js';
import { ENDED_FLEET } from '../../domain/fleet/fleet-gauges.js';
import { type FleetWatch, createFleetWatch } from '../../workers/fleet-watch.js';
import { installRuntime, type WorkerMetrics } from '../../workers/telemetry.js';
import { type FleetDirectory, temporalFleets } from '../../workers/temporal-fleets.js';
import { scrape } from '../support/scraped-metrics.js';
import {
  type FleetHandle,
  type FleetLab,
  openFleetLab,
  order,
  stateOf,
  untilPhases,
} from './support/fleet-lab.js';
import { chainOf, eventually } from './support/migration-run.js';

let lab: FleetLab;
let address: string;
let metrics: WorkerMetrics;
beforeAll(async () => {
  const port = await freePort('127.0.0.1');
  address = `127.0.0.1:${port}`;
  lab = await openFleetLab(undefined, undefined, () => {
    metrics = installRuntime(pino({ level: 'silent' }), { host: '127.0.0.1', port });
  });
});
afterAll(() => lab.close());

const log = { warn: () => undefined };

const MINUTE = 60_000;

/** A watch as a worker that has just started has it: it knows no fleet. Its clock is a minute ahead, so that every need is that old. */
function watch(changes: Partial<FleetDirectory> = {}, clock = { aheadMs: MINUTE }): FleetWatch {
  const directory = temporalFleets(lab.environment.client, lab.queue);
  return createFleetWatch({
    ...{ directory: { ...directory, ...changes }, metrics: metrics.fleets, log },
    nowMs: () => Date.now() + clock.aheadMs,
  });
}

/** The figures of a fleet that are not zero, by the name of the series without its prefix. */
async function figures(name: string): Promise<Readonly<Record<string, number>>> {
  const series = await scrape(address);
  const own = series.filter(
    ({ labels, value }) => labels['fleet'] === lab.named(name) && value > 0,
  );
  return Object.fromEntries(
    own.map(({ name: full, labels, value }) => {
      const more = labels['state'] ?? labels['reason'];
      const short = full.replace('ccm_migrate_fleet_', '');
      return [more === undefined ? short : `${short} ${more}`, value];
    }),
  );
}

/** The server lists what it has indexed. */
async function untilListed(name: string, open: boolean): Promise<void> {
  const { listOpen } = temporalFleets(lab.environment.client, lab.queue);
  await eventually(
    () => listOpen(100),
    (names) => names.includes(lab.named(name)) === open,
  );
}

const isHeld = (phases: readonly string[]): boolean =>
  phases.every((phase) => phase === 'proven' || phase === 'waiting') && phases.includes('proven');

/** One cluster is proven, two wait in a wave that no one has approved. */
async function startHeld(name: string, continueAfterEvents = 3000): Promise<FleetHandle> {
  const handle = await lab.start({
    name,
    waves: [{}, { approvals: { before: 1, after: 0 } }],
    rows: [{ name: `${name}-a` }, { name: `${name}-b`, wave: 1 }, { name: `${name}-c`, wave: 1 }],
    changes: { continueAfterEvents },
  });
  await untilPhases(handle, isHeld);
  await untilListed(name, true);
  return handle;
}

const HELD = {
  'clusters proven': 1,
  'clusters waiting': 2,
  'blocked approvalBefore': 1,
  budget_left: 100,
  need_you_oldest_seconds: expect.any(Number),
};

async function end(handle: FleetHandle, name: string): Promise<void> {
  await order(handle, { verb: 'stop' });
  await handle.result();
  await untilListed(name, false);
}

describe('metrics of fleets over a real server', () => {
  it('a fleet that waits for an approval is shown, and again by a worker that starts later, without an event', async () => {
    const handle = await lab.withWorker(async () => {
      const started = await startHeld('waits');
      await watch().read();
      expect(await figures('waits')).toEqual(HELD);
      return started;
    });
    const { historyLength } = await handle.describe();
    await lab.withWorker(async () => {
      metrics.fleets.show(lab.named('waits'), ENDED_FLEET, 0);
      const endWatch = watch().begin();
      await eventually(
        () => figures('waits'),
        (seen) => 'need_you_oldest_seconds' in seen,
      ).finally(endWatch);
      expect(await figures('waits')).toEqual(HELD);
      expect((await handle.describe()).historyLength).toBe(historyLength);
      await end(handle, 'waits');
    });
  });

  it('a fleet that continues as new again and again is shown as it is', async () => {
    await lab.withWorker(async () => {
      const handle = await startHeld('long', 12);
      expect((await chainOf(lab, handle)).length).toBeGreaterThan(1);
      await watch().read();
      expect(await figures('long')).toEqual(HELD);
      expect((await stateOf(handle)).rows).toHaveLength(3);
      await end(handle, 'long');
    });
  });

  it('a fleet that has ended shows nothing any more', async () => {
    await lab.withWorker(async () => {
      const own = watch();
      const handle = await startHeld('ends');
      await own.read();
      await end(handle, 'ends');
      await own.read();
      expect(await figures('ends')).toEqual({});
    });
  });

  it('an open fleet that the server does not list at this moment stays shown', async () => {
    await lab.withWorker(async () => {
      const listed: string[] = [];
      const own = watch({ listOpen: () => Promise.resolve(listed.splice(0)) });
      const handle = await startHeld('unlisted');
      listed.push(lab.named('unlisted'));
      await own.read();
      await own.read();
      expect(await figures('unlisted')).toEqual(HELD);
      await end(handle, 'unlisted');
    });
  });

  it('a fleet that no worker serves keeps its figures, and shows since when it does not answer', async () => {
    const clock = { aheadMs: MINUTE };
    const own = watch({}, clock);
    const handle = await lab.withWorker(async () => {
      const started = await startHeld('unserved');
      await own.read();
      return started;
    });
    clock.aheadMs += 10 * MINUTE;
    await own.read();
    const { unread_seconds: unread, ...others } = await figures('unserved');
    expect(others).toEqual(HELD);
    expect(unread).toBeGreaterThanOrEqual(600);
    await lab.withWorker(async () => {
      await own.read();
      expect(await figures('unserved')).toEqual(HELD);
      await end(handle, 'unserved');
    });
  });
});
