import { describe, expect, it } from '@jest/globals';
import type { MigrationPolicy } from '../../domain/policy.js';
import type { Target } from '../../domain/vocabulary.js';
import { policyBetween } from '../activities/simulator-policy.js';
import { openEnvironment, type Environment } from '../activities/environment.js';
import { driveRun } from '../faults/drive-run.js';
import { overlapComplaints } from '../support/run-complaints.js';

/** The first version with Leader Migration, and the last whose KCM has cloud loops. */
const [FIRST, LAST] = [21, 30];
const SOURCES = Array.from({ length: LAST - FIRST + 1 }, (_, index) => FIRST + index);
const isWhole = process.env['CCM_TEST_VERSIONS'] === 'all';
const SAME = SOURCES.map((minor) => [`1.${minor}.0`, `1.${minor}.3`] as const);
const NEXT = SOURCES.map((minor) => [`1.${minor}.0`, `1.${minor + 1}.0`] as const);
type Nodes = MigrationPolicy['nodes'];
type Way = readonly [Nodes['forward'], readonly (readonly [string, string])[]];
/** Where the files or the flags of managers change: no wildcard in 1.21, `v1` in 1.24, names in 1.28, provider names gone in 1.31. */
const CHANGES: readonly Way[] = [
  [
    'inPlace',
    [
      ['1.21.0', '1.21.3'],
      ['1.21.0', '1.22.0'],
      ['1.23.0', '1.24.0'],
      ['1.27.0', '1.28.0'],
      ['1.30.0', '1.31.0'],
    ],
  ],
  ['replace', [['1.27.0', '1.28.0']]],
];
const ALL: readonly Way[] = [
  ['inPlace', [...SAME, ...NEXT]],
  ['replace', NEXT],
];

describe.each(isWhole ? ALL : CHANGES)('%s', (forward, pairs) => {
  it.each(pairs)('%s to %s and back never has two owners', async (from, to) => {
    const environment = await openEnvironment({
      spec: { version: from, apiServerVersion: to, nodes: 2, workers: 0, loadBalancers: 1 },
      policy: { ...policyBetween(from, to), nodes: { forward, rollback: 'inPlace' } },
      timings: { fenceRenewMs: 5000 },
    });
    try {
      for (const [target, outcome] of [
        ['ccm', 'done'],
        ['kcm', 'rolledBack'],
      ] as const) {
        expect(await migrated(environment, target)).toEqual({ outcome, holds: [], breaches: [] });
        const owner = expect.stringMatching(new RegExp(`^${target}:`));
        expect(ownersOf(environment)).toEqual({
          service: [owner],
          route: [owner],
          'cloud-node-lifecycle': [owner],
        });
      }
      expect(overlapComplaints(environment.cluster.truth().controllers)).toEqual([]);
    } finally {
      await environment.close();
    }
  });
});

async function migrated(environment: Environment, target: Target): Promise<unknown> {
  const { ccmManifest } = environment;
  const run = await driveRun(environment, { target, runId: `run-${target}`, ccmManifest });
  return { outcome: run.outcome.kind, holds: run.holds, breaches: run.breaches };
}

function ownersOf({ cluster }: Environment): unknown {
  return Object.fromEntries(
    Object.entries(cluster.truth().controllers).map(([name, { intervals }]) => [
      name,
      intervals.at(-1)?.owners,
    ]),
  );
}
