import { describe, expect, it } from '@jest/globals';
import { nextStep } from '../../../domain/decision/next-step.js';
import type {
  ClusterObservation,
  LeaseObservation,
} from '../../../domain/observation/observation.js';
import type { LeaseRef } from '../../../domain/vocabulary.js';
import { sameLease } from '../../../domain/vocabulary.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../support/cluster-builder.js';
import { CCM_MAIN, KCM_MAIN, MIGRATION } from '../../support/manager-configs.js';
import { decisionOf, withNode, type DecisionRow } from '../decision/steps/decisions.js';

const NODE = { kcm: 'inTree', ccm: 'none' } as const;
const BASELINE: ClusterSpec = {
  nodes: [NODE, NODE, NODE],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
  granted: true,
};
const SHARED: ClusterSpec = {
  ...BASELINE,
  nodes: BASELINE.nodes.map(() => ({ kcm: 'inTreeLm', ccm: 'on' })),
  ccmLeader: 1,
};
const MIGRATED: ClusterSpec = {
  ...SHARED,
  nodes: BASELINE.nodes.map(() => ({ kcm: 'external', ccm: 'on' })),
  migration: { manager: 'ccm', node: 1 },
};

const OLD_MAIN: LeaseRef = { namespace: 'kube-system', name: 'old-manager' };

/** A process on another host holds this Lease. */
function withStranger(
  observation: ClusterObservation,
  { namespace, name }: LeaseRef,
  freshness: LeaseObservation['freshness'] = { kind: 'advancing' },
): ClusterObservation {
  const stranger: LeaseObservation = {
    namespace,
    name,
    holder: 'bastion_5f0e8a',
    resourceVersion: '9',
    leaseDurationSeconds: 15,
    transitions: 0,
    freshness,
    holderState: 'unknown',
  };
  const others = observation.leases.filter((lease) => !sameLease(lease, stranger));
  return { ...observation, leases: [...others, stranger] };
}

/** Each KCM has its own main lock, and leads. */
function withTwoLeaders(spec: ClusterSpec): ClusterObservation {
  const observation = clusterOf(spec);
  const [lease] = observation.leases;
  const mainLock = { namespace: 'kube-system', name: 'kcm-b' };
  return {
    ...observation,
    leases: [
      ...observation.leases,
      ...(lease === undefined ? [] : [{ ...lease, ...mainLock, holder: 'cp-2_kcm' }]),
    ],
    nodes: observation.nodes.map((node, index) => ({
      ...node,
      kcm: {
        ...node.kcm,
        processes: node.kcm.processes.map((process) =>
          index === 1
            ? { ...process, identity: 'cp-2_kcm', config: { ...process.config, mainLock } }
            : process,
        ),
      },
    })),
  };
}

const ROWS: readonly DecisionRow[] = [
  {
    name: 'a CCM outside the cluster renews a main Lease that no process explains: nothing is done, target ccm',
    observation: withStranger(clusterOf(BASELINE), CCM_MAIN),
    expected: 'CCM2001',
  },
  {
    name: 'a CCM outside the cluster renews a main Lease that no process explains: never done, target kcm',
    observation: withStranger(clusterOf(BASELINE), CCM_MAIN),
    target: 'kcm',
    expected: 'CCM2001',
  },
  {
    name: 'no step waits for a live stranger on the migration Lease',
    observation: withStranger(clusterOf({ ...SHARED, migration: 'free' }), MIGRATION),
    expected: 'CCM2001',
  },
  {
    name: 'the main Lease of an observed manager may have a paused holder, however silent it is',
    observation: withStranger(clusterOf(BASELINE), KCM_MAIN, { kind: 'silent', sinceMs: 1 }),
    expected: 'CCM2001',
  },
  {
    name: 'an end that no rule knows is not called done: an external KCM owns node IPAM and no CCM leads',
    observation: clusterOf({
      ...MIGRATED,
      nodes: MIGRATED.nodes.map(() => ({ kcm: 'external', ccm: 'off' })),
      ccmLeader: 'free',
      migration: 'free',
      granted: false,
    }),
    policy: policyOf({
      lock: { ...policyOf().lock, controllers: ['nodeipam'] },
      disableLeaderMigration: 'afterSoak',
    }),
    expected: 'CCM2003',
  },
  {
    name: 'a stranger that is proven silent runs nothing',
    observation: withStranger(clusterOf(MIGRATED), OLD_MAIN, { kind: 'silent', sinceMs: 1 }),
    expected: 'done',
  },
  {
    name: 'a hosted control plane shows no Node, so it is refused',
    observation: clusterOf({
      ...BASELINE,
      nodes: [],
      kcmLeader: 'free',
    }),
    expected: 'CCM2017',
  },
  {
    name: 'without a shared lock a node out of reach may run the old owner',
    observation: withNode(clusterOf(BASELINE), 0, () => ({ reachable: false })),
    policy: policyOf({ strategy: 'gap' }),
    expected: 'CCM2004',
  },
  {
    name: 'two KCMs that lead under main locks of different names are not a mistake of ours',
    observation: withTwoLeaders(BASELINE),
    target: 'kcm',
    expected: 'CCM2018',
  },
  {
    name: 'CCMs on standby beside them are not stopped for it',
    observation: withTwoLeaders({
      ...BASELINE,
      nodes: BASELINE.nodes.map(() => ({ kcm: 'inTree', ccm: 'on' })),
    }),
    expected: 'CCM2018',
  },
];

describe('owners that cannot be observed, or cannot be separated', () => {
  it.each(ROWS)('$name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });

  it('the finding names the Lease and the unknown holder', () => {
    const observation = withStranger(clusterOf(BASELINE), CCM_MAIN);
    expect(nextStep(observation, 'ccm', policyOf())).toMatchObject({
      kind: 'blocked',
      findings: [
        {
          code: 'CCM2001',
          seen: expect.stringContaining(
            'Lease kube-system/cloud-controller-manager is held by bastion_5f0e8a',
          ),
        },
      ],
    });
  });
});
