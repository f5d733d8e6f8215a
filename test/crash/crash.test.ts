import { describe, expect, it } from '@jest/globals';
import { writeSync } from 'node:fs';
import type { CrashPoint } from './crash-point.js';
import { openWorld } from './crash-world.js';
import { driveLeg } from './drive-leg.js';
import { Hunt } from './hunt.js';
import { judgeLeg } from './judge-leg.js';
import { wholeSuite } from './whole-suite.js';

const isWhole = process.env['CCM_TEST_CRASH'] === 'all';

/** Directly to the terminal: jest would hold it back until the end. */
function report(line: string): void {
  if (isWhole) writeSync(2, `${new Date().toISOString()} ${line}\n`);
}

const KCM = '/etc/kubernetes/manifests/kube-controller-manager.yaml';

/** Where a dying worker leaves the most behind: a fence just acquired, and a manifest just removed. */
const SAMPLE: readonly CrashPoint[] = [
  {
    ...{ leg: 'forward', step: 'takeFence', verb: 'create', target: 'leases ccm-migrate' },
    ...{ ordinal: 1, moment: 'after' },
  },
  {
    ...{ leg: 'forward', step: 'enableLeaderMigration', verb: 'delete', target: KCM },
    ...{ ordinal: 1, moment: 'after' },
  },
];

(isWhole ? describe.skip : describe)('the worker killed twice, one node', () => {
  it('a new worker completes the migration correctly, with each effect done once', async () => {
    const nodes = { forward: 'inPlace', rollback: 'inPlace' } as const;
    const world = await openWorld({ name: 'sample', seed: 1, nodes: 1, policy: { nodes } });
    try {
      const hunt = { leg: 'forward', points: SAMPLE, withServer: false, report } as const;
      const leg = await driveLeg(world, 'forward', (since) => new Hunt(world, hunt, since));
      expect(await judgeLeg(world, leg, null)).toEqual([]);
      expect(leg.struck).toEqual(SAMPLE);
    } finally {
      await world.close();
    }
  }, 600_000);
});

(isWhole ? describe : describe.skip)('the worker killed at every mutating request', () => {
  it('a new worker completes the migration correctly after each kill, with each effect done once', async () => {
    const result = await wholeSuite(report);
    for (const line of result.lines) report(line);
    expect(result.complaints).toEqual([]);
    expect(result.missed).toEqual([]);
    expect(result.struck).toBe(result.total);
    expect(result.total).toBeGreaterThan(100);
  }, 7_200_000);
});
