import { describe, expect, it } from '@jest/globals';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { decisionOf, type DecisionRow } from './decisions.js';

const LEADER_BESIDE_EXTERNALS: ClusterSpec = {
  nodes: [
    { kcm: 'inTree', ccm: 'none' },
    { kcm: 'external', ccm: 'none' },
    { kcm: 'external', ccm: 'none' },
  ],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
  granted: true,
};

const ready = (spec: ClusterSpec): DecisionRow['observation'] => ({
  ...clusterOf(spec),
  access: { ...clusterOf(spec).access, ccmAccess: 'present' },
});

const ROWS: readonly DecisionRow[] = [
  {
    name: 'an external standby could win the lock that the only in-tree leader gives up: it is parked first',
    observation: ready(LEADER_BESIDE_EXTERNALS),
    expected: 'parkKcm cp-2',
  },
  {
    name: 'an external leader goes last, so that the lock then goes to the in-tree KCM',
    observation: ready({ ...LEADER_BESIDE_EXTERNALS, kcmLeader: 1 }),
    expected: 'parkKcm cp-3',
  },
  {
    name: 'the in-tree KCM is restarted once no other candidate is left to win',
    observation: ready({
      ...LEADER_BESIDE_EXTERNALS,
      nodes: [
        { kcm: 'inTree', ccm: 'none' },
        { kcm: 'none', ccm: 'none' },
        { kcm: 'none', ccm: 'none' },
      ],
    }),
    expected: 'enableLeaderMigration cp-1',
  },
  {
    name: 'beside in-tree KCMs that share the lock already no restart is due: the external ones stay',
    observation: ready({
      ...LEADER_BESIDE_EXTERNALS,
      nodes: [
        { kcm: 'inTreeLm', ccm: 'none' },
        { kcm: 'external', ccm: 'none' },
        { kcm: 'external', ccm: 'none' },
      ],
      migration: { manager: 'kcm', node: 0 },
    }),
    expected: 'startCcm cp-1',
  },
  {
    name: 'without a shared lock every KCM but the leader goes, the external ones too',
    observation: ready(LEADER_BESIDE_EXTERNALS),
    policy: policyOf({ strategy: 'gap' }),
    expected: 'parkKcm cp-2',
  },
  {
    name: 'without a shared lock and a leader no KCM can be chosen to stay: an election comes first',
    observation: ready({ ...LEADER_BESIDE_EXTERNALS, kcmLeader: 'free' }),
    policy: policyOf({ strategy: 'gap' }),
    expected: 'awaitElection kcmMainLeader',
  },
];

describe('KCMs that are parked for a restart', () => {
  it.each(ROWS)('parking decides: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });
});
