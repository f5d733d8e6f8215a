import { describe, expect, it } from '@jest/globals';
import type {
  ClusterObservation,
  ManagerSlot,
} from '../../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import type { Target } from '../../../../domain/vocabulary.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { ccmConfig, kcmConfig, leaderMigrationOn } from '../../../support/manager-configs.js';
import { decisionOf, withNode } from './decisions.js';

const MIGRATED: ClusterSpec = {
  nodes: [
    { kcm: 'external', ccm: 'on' },
    { kcm: 'external', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 0,
  migration: { manager: 'ccm', node: 0 },
  granted: true,
};
const BACK: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};

const secondCcm = (ccm: 'off' | 'on'): ClusterSpec => ({
  ...MIGRATED,
  nodes: [...MIGRATED.nodes.slice(0, 1), { kcm: 'external', ccm }],
});
const secondKcm = (kcm: 'inTree' | 'inTreeWrong'): ClusterSpec => ({
  ...BACK,
  nodes: [...BACK.nodes.slice(0, 1), { kcm, ccm: 'none' }],
});

/** The manifest is parked already, but its process has not ended. */
const parkedButRunning = ({ manifest, processes }: ManagerSlot): ManagerSlot => ({
  manifest:
    manifest.state === 'present'
      ? { state: 'parked', hash: manifest.hash, config: manifest.config }
      : manifest,
  processes,
});

const elsewhere = { ...leaderMigrationOn(), lock: { namespace: 'kube-system', name: 'other' } };
const onAnotherLock = (observation: ClusterObservation): ClusterObservation =>
  withNode(observation, 1, ({ ccm }) => {
    const config = { ...ccmConfig('on'), leaderMigration: elsewhere };
    return {
      ccm: {
        manifest: ccm.manifest.state === 'present' ? { ...ccm.manifest, config } : ccm.manifest,
        processes: ccm.processes.map((process) => ({ ...process, config })),
      },
    };
  });

function said(
  observation: ClusterObservation,
  target: Target,
  changes: Partial<MigrationPolicy> = {},
): string {
  const row = { name: '', observation, target, policy: policyOf(changes), expected: '' };
  return decisionOf(row).replace(/ .*/, '');
}

describe('the end of a direction', () => {
  it.each<readonly [string, ClusterObservation, Target, string, Partial<MigrationPolicy>?]>([
    ['all external, all CCMs under the lock', clusterOf(MIGRATED), 'ccm', 'done'],
    ['a CCM without the lock that policy keeps', clusterOf(secondCcm('off')), 'ccm', 'protectCcm'],
    ['a CCM on another lock', onAnotherLock(clusterOf(MIGRATED)), 'ccm', 'protectCcm'],
    [
      'a CCM with the lock that policy switches off',
      clusterOf(secondCcm('off')),
      'ccm',
      'disableLeaderMigration',
      { disableLeaderMigration: 'afterSoak' },
    ],
    [
      'whatever lock there is after a gap',
      clusterOf(secondCcm('off')),
      'ccm',
      'done',
      { strategy: 'gap' },
    ],
    [
      'an external KCM that is parked and still runs',
      withNode(clusterOf(MIGRATED), 1, ({ kcm }) => ({ kcm: parkedButRunning(kcm) })),
      'ccm',
      'awaitElection',
    ],
    [
      'an in-tree KCM that is parked and still runs',
      withNode(clusterOf(BACK), 1, ({ kcm }) => ({ kcm: parkedButRunning(kcm) })),
      'kcm',
      'awaitElection',
    ],
    [
      'a KCM without loops that still runs from a manifest that has them',
      withNode(clusterOf(BACK), 1, ({ kcm }) => ({
        kcm: {
          ...kcm,
          processes: kcm.processes.map((process) => ({
            ...process,
            config: kcmConfig('external'),
          })),
        },
      })),
      'kcm',
      'awaitElection',
    ],
    ['all in-tree, no CCM', clusterOf(BACK), 'kcm', 'done'],
    ['some KCMs as they were before', clusterOf(secondKcm('inTree')), 'kcm', 'done'],
    [
      'a KCM with wrong names is left behind',
      clusterOf(secondKcm('inTreeWrong')),
      'kcm',
      'enableLeaderMigration',
    ],
    [
      'Leader Migration that policy takes back',
      clusterOf(secondKcm('inTreeWrong')),
      'kcm',
      'disableLeaderMigration',
      { leaderMigrationAfterRollback: 'off' },
    ],
    [
      'a gap back leaves what was found',
      clusterOf(secondKcm('inTreeWrong')),
      'kcm',
      'done',
      { strategy: 'gap' },
    ],
  ])(
    'the end of a direction is recognised: %s',
    (...[, observation, target, expected, changes]) => {
      expect(said(observation, target, changes)).toBe(expected);
    },
  );
});
