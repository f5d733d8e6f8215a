import { describe, expect, it } from '@jest/globals';
import { freePort } from '../../devserver/free-port.js';
import { eventually } from '../contract/eventually.js';
import { scrape } from '../support/scraped-metrics.js';
import { BOUND_MS, withReadyWorker } from '../support/started-worker.js';

describe('a worker that serves metrics', () => {
  it(
    'reads the open fleets from its start, also where there are none, and how busy it is',
    async () => {
      const metrics = `127.0.0.1:${await freePort('127.0.0.1')}`;
      const serves = { CCM_MIGRATE_METRICS_ADDRESS: metrics };
      await withReadyWorker(async ({ child }) => {
        const found = await eventually(BOUND_MS, async () => {
          const series = await scrape(metrics);
          return series.find(({ name }) => name.startsWith('ccm_migrate_fleets_')) ?? null;
        });
        expect(found.name).toBe('ccm_migrate_fleets_listed_timestamp_seconds');
        const admitted = await eventually(BOUND_MS, async () => {
          const series = await scrape(metrics);
          const busy = series.some(({ name }) => name === 'ccm_migrate_loop_utilisation_ratio');
          return busy ? series.filter(({ name }) => name === 'ccm_migrate_guards_admitted') : null;
        });
        expect(admitted).toHaveLength(1);
        process.kill(child.pid, 'SIGTERM');
        expect(await child.ended).toBe('exit 0');
      }, serves);
    },
    BOUND_MS,
  );
});
