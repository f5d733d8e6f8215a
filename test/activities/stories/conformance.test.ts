import { describe, expect, it } from '@jest/globals';
import { predictEffect } from '../../../domain/model/predict-effect.js';
import { clusterOwner } from '../../../domain/ownership/owners.js';
import { DAEMON_SET } from '../daemon-set-manifest.js';
import { decisiveShape } from '../decisive-shape.js';
import { simulatorPolicy } from '../simulator-policy.js';
import type { StepWatcher } from '../run-by-hand.js';
import { openEnvironment, type EnvironmentOptions } from '../environment.js';

const { ccm } = simulatorPolicy();

const RUNS: readonly (readonly [string, EnvironmentOptions])[] = [
  ['in place', {}],
  [
    'machines replaced both ways',
    { spec: { etcd: 'stacked' }, policy: { nodes: { forward: 'replace', rollback: 'replace' } } },
  ],
  ['gap on one node', { spec: { nodes: 1 }, policy: { strategy: 'gap' } }],
  [
    'a CCM as DaemonSet',
    { policy: { ccm: { ...ccm, deployAs: 'daemonSet' } }, ccmManifest: DAEMON_SET },
  ],
  [
    'workers rolled and Leader Migration switched off',
    {
      policy: {
        rollWorkers: { enabled: true, batchSize: 1 },
        disableLeaderMigration: 'afterSoak',
        leaderMigrationAfterRollback: 'off',
      },
    },
  ],
];

describe.each(RUNS)('%s', (_name, options) => {
  it('after each step an observation matches the prediction of the model, forward and back', async () => {
    const environment = await openEnvironment(options);
    const watch: StepWatcher = ({ name, effect }, before, after) => {
      const predicted = predictEffect(before, effect, environment.context.policy);
      const named = (observation: typeof after): object => ({
        step: name,
        ...decisiveShape(observation),
      });
      expect(named(after)).toEqual(named(predicted));
    };
    try {
      const there = await environment.migrate('ccm', watch);
      expect(there.length).toBeGreaterThan(3);
      const { controllers } = environment.context.policy.lock;
      const half = (await environment.snapshot()).observation;
      expect(clusterOwner(half, controllers)).toBe('ccm');
      expect(half.kubeadm.followsManifests).toBe('yes');
      await environment.migrate('kcm', watch);
      expect(clusterOwner((await environment.snapshot()).observation, controllers)).toBe('kcm');
      expect(environment.cluster.truth().controllers.service.overlapSeconds).toBe(0);
    } finally {
      await environment.close();
    }
  });
});
