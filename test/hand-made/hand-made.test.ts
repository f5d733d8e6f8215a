import { describe, expect, it } from '@jest/globals';
import type { Target } from '../../domain/vocabulary.js';
import type { PresetName } from '../../testbed/simulator/cluster/cluster-spec.js';
import { openEnvironment, type Environment } from '../activities/environment.js';
import { driveRun } from '../faults/drive-run.js';

/** Clusters that an operator began to migrate by hand, with the fault that each was left in. */
const LEFT: readonly (readonly [PresetName, 'two owners' | 'one owner' | 'no owner'])[] = [
  ['guide-130', 'two owners'],
  ['ccm-without-lm', 'two owners'],
  ['stopped-half-way', 'one owner'],
];
const TARGETS: readonly Target[] = ['ccm', 'kcm'];

function owners({ cluster }: Environment): readonly string[] {
  return cluster.truth().controllers.service.intervals.at(-1)?.owners ?? [];
}

const WORDS = ['no owner', 'one owner', 'two owners'];

describe.each(LEFT)('a cluster left as %s, with %s', (preset, harm) => {
  it.each(TARGETS)('reaches %s, with one owner from the first repair on', async (target) => {
    const environment = await openEnvironment({
      spec: { preset },
      timings: { fenceRenewMs: 5000 },
    });
    try {
      expect(WORDS[owners(environment).length]).toBe(harm);
      const { ccmManifest } = environment;
      const { outcome, holds } = await driveRun(environment, {
        target,
        runId: 'run-1',
        ccmManifest,
      });
      expect(holds).toEqual([]);
      expect(['done', 'rolledBack']).toContain(outcome.kind);
      expect(owners(environment)).toEqual([expect.stringMatching(new RegExp(`^${target}:`))]);
      const { intervals } = environment.cluster.truth().controllers.service;
      const lastTwo = intervals.findLastIndex((interval) => interval.owners.length > 1);
      // Any overlap existed before the first repair; none may follow.
      expect(intervals.slice(0, lastTwo + 1).every((one) => one.owners.length > 0)).toBe(true);
    } finally {
      await environment.close();
    }
  });
});

it('a cluster left with external KCMs that hold the lock gets an owner again', async () => {
  const environment = await openEnvironment({
    spec: { preset: 'external-kcm-with-lm' },
    timings: { fenceRenewMs: 5000 },
  });
  try {
    expect(owners(environment)).toEqual([]);
    const { ccmManifest } = environment;
    const run = await driveRun(environment, { target: 'ccm', runId: 'run-1', ccmManifest });
    expect(run.outcome.kind).toBe('done');
    expect(owners(environment)).toEqual([expect.stringMatching(/^ccm:/)]);
    expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
  } finally {
    await environment.close();
  }
});
