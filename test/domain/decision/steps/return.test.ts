import { describe, expect, it } from '@jest/globals';
import { nextStep } from '../../../../domain/decision/next-step.js';
import type { ClusterObservation } from '../../../../domain/observation/observation.js';
import type { MigrationPolicy } from '../../../../domain/policy.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { decisionOf, MIGRATED, type DecisionRow } from './decisions.js';

/** No CCM is left, and one KCM still has no loops. */
const ALMOST_BACK: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'external', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};

const BACK: ClusterSpec = {
  ...ALMOST_BACK,
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
  ],
};

const ROWS: readonly DecisionRow[] = [
  {
    name: 'the external main leader is restored last',
    observation: clusterOf(MIGRATED),
    expected: 'restoreKcm cp-2',
  },
  {
    name: 'of KCMs that hold nothing the first by name is restored, parked or not',
    observation: clusterOf({
      ...MIGRATED,
      nodes: [...MIGRATED.nodes.slice(0, 2), { kcm: 'none', ccm: 'on' }],
    }),
    expected: 'restoreKcm cp-2',
  },
  {
    name: 'without a baseline an in-tree KCM shows how the others were',
    observation: { ...clusterOf(ALMOST_BACK), baseline: null },
    expected: 'restoreKcm cp-2',
  },
  {
    name: 'the workload goes before the identity that it uses',
    observation: {
      ...clusterOf(BACK),
      ccmWorkload: { source: 'daemonSet', owner: 'ours', name: 'ccm', template: null },
    },
    expected: 'removeCcmAccess',
  },
  {
    name: 'the identity goes last',
    observation: {
      ...clusterOf(BACK),
      access: { ...clusterOf(BACK).access, ccmAccess: 'present' },
    },
    expected: 'removeCcmAccess ccmAccess',
  },
  { name: 'with nothing left of a CCM it is done', observation: clusterOf(BACK), expected: 'done' },
];

describe('the rollback', () => {
  it.each(ROWS)('the rollback restores: $name', (row) => {
    expect(decisionOf({ ...row, target: 'kcm' })).toBe(row.expected);
  });
});

describe('a KCM that gets its loops back', () => {
  interface LockRow {
    readonly when: string;
    readonly observation: ClusterObservation;
    readonly changes: Partial<MigrationPolicy>;
    readonly lock: 'on' | 'off';
  }
  const ROWS_OF_LOCKS: readonly LockRow[] = [
    { when: 'beside a CCM', observation: clusterOf(MIGRATED), changes: {}, lock: 'on' },
    {
      when: 'beside a CCM though it must be off in the end',
      observation: clusterOf(MIGRATED),
      changes: { leaderMigrationAfterRollback: 'off' },
      lock: 'on',
    },
    {
      when: 'when the CCMs are gone and it must be kept',
      observation: clusterOf(ALMOST_BACK),
      changes: {},
      lock: 'on',
    },
    {
      when: 'when the CCMs are gone and it must be off',
      observation: clusterOf(ALMOST_BACK),
      changes: { leaderMigrationAfterRollback: 'off' },
      lock: 'off',
    },
    {
      when: 'when the right to the lock is gone too',
      observation: clusterOf({
        ...ALMOST_BACK,
        nodes: [
          { kcm: 'inTree', ccm: 'none' },
          { kcm: 'external', ccm: 'none' },
        ],
        granted: false,
        migration: 'free',
      }),
      changes: {},
      lock: 'off',
    },
    {
      when: 'where no lock is shared',
      observation: clusterOf(ALMOST_BACK),
      changes: { strategy: 'gap' },
      lock: 'off',
    },
  ];

  it.each(ROWS_OF_LOCKS)(
    'a KCM gets its loops back with Leader Migration $lock $when',
    ({ observation, changes, lock }) => {
      const decision = nextStep(observation, 'kcm', policyOf(changes));
      expect(decision).toMatchObject({
        kind: 'step',
        step: { name: 'restoreKcm', effect: { want: { role: 'inTree', leaderMigration: lock } } },
      });
    },
  );
});
