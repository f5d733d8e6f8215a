import { describe, expect, it } from '@jest/globals';
import { factsOf } from '../../../../domain/ownership/cluster-facts.js';
import { electionReached } from '../../../../domain/decision/steps/await-election.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { kcmConfig } from '../../../support/manager-configs.js';
import { decisionOf, type DecisionRow } from './decisions.js';

const REPLACE = policyOf({ nodes: { forward: 'replace', rollback: 'replace' } });
const GAP = policyOf({ strategy: 'gap' });

const SHARED: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};
const BEFORE_CCM: ClusterSpec = {
  ...SHARED,
  nodes: SHARED.nodes.map(({ kcm }) => ({ kcm, ccm: 'none' })),
  ccmLeader: 'free',
};
const AFTER_KCM: ClusterSpec = {
  ...SHARED,
  nodes: SHARED.nodes.map(({ ccm }) => ({ kcm: 'external', ccm })),
  migration: { manager: 'ccm', node: 1 },
};

/** As observed while the kubelets start what was just written. */
const withoutKcms = (observation: DecisionRow['observation']): DecisionRow['observation'] => ({
  ...observation,
  nodes: observation.nodes.map((node) => ({ ...node, kcm: { ...node.kcm, processes: [] } })),
});

const prepared = (spec: ClusterSpec): DecisionRow['observation'] => ({
  ...clusterOf(spec),
  access: { ...clusterOf(spec).access, ccmAccess: 'present' },
});

/** One machine more than before: the last is of the target side, its KCM external or parked. */
const oneMore = (spec: ClusterSpec, last: 'external' | 'none'): DecisionRow['observation'] => ({
  ...clusterOf({
    ...spec,
    nodes: [
      ...SHARED.nodes.map(() => ({ kcm: 'inTreeLm', ccm: 'none' }) as const),
      { kcm: last, ccm: 'on' },
    ],
  }),
  baseline: { digest: 'd', kcm: kcmConfig('inTree'), controlPlaneNodes: 3 },
});

const ROWS: readonly DecisionRow[] = [
  {
    name: 'before the first CCM some KCM must lead',
    observation: prepared({ ...BEFORE_CCM, kcmLeader: 'free', migration: 'free' }),
    expected: 'awaitElection kcmMainLeader',
  },
  {
    name: 'before the first CCM the leading KCM must hold the migration Lease (P9)',
    observation: prepared({ ...BEFORE_CCM, migration: 'free' }),
    expected: 'awaitElection kcmMainLeaderHoldsMigration',
  },
  {
    name: 'an external KCM that leads will never hold it: a CCM is the repair',
    observation: prepared({
      ...BEFORE_CCM,
      nodes: [{ kcm: 'external', ccm: 'none' }, ...BEFORE_CCM.nodes.slice(1)],
      migration: 'free',
    }),
    expected: 'startCcm cp-1',
  },
  {
    name: 'before the first in-tree KCM returns some CCM must lead',
    observation: clusterOf({ ...AFTER_KCM, ccmLeader: 'free', migration: 'free' }),
    target: 'kcm',
    expected: 'awaitElection ccmMainLeader',
  },
  {
    name: 'before the first in-tree KCM returns the leading CCM must hold the migration Lease',
    observation: clusterOf({ ...AFTER_KCM, migration: 'free' }),
    target: 'kcm',
    expected: 'awaitElection ccmMainLeaderHoldsMigration',
  },
  {
    name: 'a KCM keeps its loops until a CCM is on standby',
    observation: clusterOf({ ...SHARED, ccmLeader: 'free' }),
    expected: 'awaitElection ccmStandsBy',
  },
  {
    name: 'a source machine stays until a CCM is on standby',
    observation: oneMore({ ...SHARED, ccmLeader: 'free' }, 'external'),
    policy: REPLACE,
    expected: 'awaitElection ccmStandsBy',
  },
  {
    name: 'a CCM stays until an in-tree KCM is on standby',
    observation: clusterOf({
      ...SHARED,
      kcmLeader: 'free',
      migration: { manager: 'ccm', node: 1 },
    }),
    target: 'kcm',
    expected: 'awaitElection kcmStandsBy',
  },
  {
    name: 'a target machine stays until an in-tree KCM is on standby',
    observation: oneMore(
      { ...SHARED, kcmLeader: 'free', ccmLeader: 3, migration: { manager: 'ccm', node: 3 } },
      'none',
    ),
    target: 'kcm',
    policy: REPLACE,
    expected: 'awaitElection kcmStandsBy',
  },
  {
    name: 'the end of a direction waits for an owner',
    observation: clusterOf({ ...AFTER_KCM, ccmLeader: 'free', migration: 'free' }),
    expected: 'awaitElection migrationHolder',
  },
  {
    name: 'the end of a direction waits for a KCM that leads',
    observation: clusterOf({ ...AFTER_KCM, kcmLeader: 'free' }),
    expected: 'awaitElection managersSettled',
  },
  {
    name: 'the end of a direction waits for a manager that was written and not observed yet',
    observation: withoutKcms(clusterOf(AFTER_KCM)),
    expected: 'awaitElection managersSettled',
  },
  {
    name: 'without a shared lock a parked KCM is restored as soon as the CCMs run',
    observation: clusterOf({
      ...SHARED,
      nodes: [
        { kcm: 'external', ccm: 'off' },
        { kcm: 'none', ccm: 'off' },
      ],
      ccmLeader: 'free',
      migration: 'free',
    }),
    policy: GAP,
    expected: 'externalizeKcm cp-2',
  },
];

describe('waiting for elections', () => {
  it.each(ROWS)('while waiting for elections: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });

  it.each([
    { owner: 'a KCM', spec: SHARED, reached: true },
    { owner: 'a CCM', spec: AFTER_KCM, reached: true },
    { owner: 'none', spec: { ...SHARED, migration: 'free' } as const, reached: false },
  ])('an owner exists while $owner runs the controllers: $reached', ({ spec, reached }) => {
    const facts = factsOf(clusterOf(spec), 'ccm', policyOf());
    expect(electionReached(facts, 'migrationHolder')).toBe(reached);
  });
});
