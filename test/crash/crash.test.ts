import { describe, expect, it } from '@jest/globals';
import { writeSync } from 'node:fs';
import type { CrashPoint } from './crash-point.js';
import { openEnvironment } from './crash-environment.js';
import { driveDirection } from './drive-direction.js';
import { Hunt } from './hunt.js';
import { judgeDirection } from './judge-direction.js';
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
    ...{ direction: 'forward', step: 'takeFence', verb: 'create', target: 'leases ccm-migrate' },
    ...{ ordinal: 1, moment: 'after' },
  },
  {
    ...{ direction: 'forward', step: 'enableLeaderMigration', verb: 'delete', target: KCM },
    ...{ ordinal: 1, moment: 'after' },
  },
];

(isWhole ? describe.skip : describe)('the worker killed twice, one node', () => {
  it('a new worker completes the migration correctly, with each effect done once', async () => {
    const nodes = { forward: 'inPlace', rollback: 'inPlace' } as const;
    const environment = await openEnvironment({
      name: 'sample',
      seed: 1,
      nodes: 1,
      policy: { nodes },
    });
    try {
      const hunt = { direction: 'forward', points: SAMPLE, withServer: false, report } as const;
      const direction = await driveDirection(
        environment,
        'forward',
        (since) => new Hunt(environment, hunt, since),
      );
      expect(await judgeDirection(environment, direction, null)).toEqual([]);
      expect(direction.struck).toEqual(SAMPLE);
    } finally {
      await environment.close();
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
