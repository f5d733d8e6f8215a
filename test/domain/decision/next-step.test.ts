import { describe, expect, it } from '@jest/globals';
import { nextStep } from '../../../domain/decision/next-step.js';
import type { ClusterObservation, ManagerSlot } from '../../../domain/observation/observation.js';
import { clusterOf, policyOf, withWord, type ClusterSpec } from '../../support/cluster-builder.js';
import { kcmConfig } from '../../support/manager-configs.js';
import { decisionOf, MIGRATED, type DecisionRow } from './steps/decisions.js';

const NODE = { kcm: 'inTree', ccm: 'none' } as const;
const BASELINE: ClusterSpec = {
  nodes: [NODE, NODE, NODE],
  kcmLeader: 0,
  ccmLeader: 'free',
  migration: 'free',
  granted: true,
};
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

function withFirstNode(
  spec: ClusterSpec,
  change: (node: ClusterObservation['nodes'][number]) => ClusterObservation['nodes'][number],
): ClusterObservation {
  const observation = clusterOf(spec);
  return {
    ...observation,
    nodes: observation.nodes.map((node, index) => (index === 0 ? change(node) : node)),
  };
}

function paused({ manifest, processes }: ManagerSlot): ManagerSlot {
  return { manifest, processes: processes.map((process) => ({ ...process, liveness: 'paused' })) };
}

/** As it is seen after its Node was deleted; what runs on its host is seen by no one. */
function withoutLastNode(spec: ClusterSpec): ClusterObservation {
  const whole = clusterOf(spec);
  return { ...whole, nodes: whole.nodes.slice(0, -1) };
}

const REPLACE = policyOf({ nodes: { forward: 'replace', rollback: 'replace' } });

const ROWS: readonly DecisionRow[] = [
  { name: 'a migrated cluster is done', observation: clusterOf(MIGRATED), expected: 'done' },
  {
    name: 'a baseline is done with target kcm once nothing of a CCM is left',
    observation: {
      ...clusterOf(BASELINE),
      access: { ...clusterOf(BASELINE).access, ccmAccess: 'absent' },
    },
    target: 'kcm',
    expected: 'done',
  },
  {
    name: 'a node out of reach stops every rule',
    observation: withFirstNode(BASELINE, (node) => ({ ...node, reachable: false })),
    expected: 'CCM2001',
  },
  {
    name: 'a node out of reach says why, where it is known',
    observation: withFirstNode(BASELINE, (node) => ({
      ...node,
      reachable: false,
      kcm: { ...node.kcm, manifest: { state: 'unknown', why: 'no Node has this name' } },
    })),
    expected: 'CCM2001',
  },
  {
    name: 'a Node that is no longer listed stops every rule: its host may run on',
    observation: withoutLastNode(BASELINE),
    expected: 'CCM2020',
  },
  {
    name: 'the same in a rollback',
    observation: withoutLastNode(SHARED),
    target: 'kcm',
    expected: 'CCM2020',
  },
  {
    name: 'a migrated cluster is not done while one of its Nodes is missing',
    observation: withoutLastNode(MIGRATED),
    expected: 'CCM2020',
  },
  {
    name: 'a person has stated that its host is gone',
    observation: withoutLastNode(MIGRATED),
    policy: withWord(policyOf()),
    expected: 'done',
  },
  {
    name: 'the provider answers for machines that are replaced',
    observation: withoutLastNode(MIGRATED),
    policy: REPLACE,
    expected: 'addMachine cp-3',
  },
  {
    name: 'a manifest that cannot be read stops every rule',
    observation: withFirstNode(BASELINE, (node) => ({
      ...node,
      kcm: { ...node.kcm, manifest: { state: 'unknown', why: 'two manifests name a KCM' } },
    })),
    expected: 'CCM2001',
  },
  {
    name: 'an unknown Lease holder stops every rule',
    observation: {
      ...clusterOf(BASELINE),
      leases: clusterOf(BASELINE).leases.map((lease) => ({ ...lease, holderState: 'unknown' })),
    },
    expected: 'CCM2001',
  },
  {
    name: 'a paused process stops every rule: it acts when it wakes',
    observation: withFirstNode(SHARED, (node) => ({ ...node, kcm: paused(node.kcm) })),
    expected: 'CCM2010',
  },
  {
    name: 'a CCM build without Leader Migration needs the other strategy',
    observation: clusterOf(BASELINE),
    policy: policyOf({ ccm: { ...policyOf().ccm, leaderMigration: 'absent' } }),
    expected: 'CCM2009',
  },
  {
    name: "another owner's CCM workload needs an approval",
    observation: {
      ...clusterOf(BASELINE),
      ccmWorkload: { source: 'daemonSet', owner: 'foreign', name: 'helm-ccm', template: null },
    },
    expected: 'CCM2007',
  },
  {
    name: 'no CCM newer than the oldest API server behind a shared address',
    observation: {
      ...clusterOf({
        ...SHARED,
        nodes: SHARED.nodes.map(({ kcm }) => ({ kcm, ccm: 'none' })),
        ccmLeader: 'free',
      }),
      access: { ...clusterOf(SHARED).access, ccmAccess: 'present' },
      apiServers: { versions: ['1.29.15', '1.30.14'], sharedAddress: 'yes' },
    },
    expected: 'CCM2011',
  },
  {
    name: 'unknown API server versions pass nothing',
    observation: { ...clusterOf(SHARED), apiServers: { versions: [], sharedAddress: 'unknown' } },
    expected: 'CCM2011',
  },
  {
    name: 'in-tree volumes forbid an external KCM',
    observation: {
      ...clusterOf(SHARED),
      inventory: { ...clusterOf(SHARED).inventory, persistentVolumes: { inTree: 3 } },
    },
    expected: 'CCM2013',
  },
  {
    name: 'unknown etcd forbids a replacement',
    observation: { ...clusterOf(SHARED), etcd: { topology: 'unknown', members: [] } },
    policy: REPLACE,
    expected: 'CCM2005',
  },
  {
    name: 'a learner forbids a replacement where etcd is stacked',
    observation: {
      ...clusterOf(SHARED),
      etcd: {
        topology: 'stacked',
        members: clusterOf(SHARED).nodes.map(({ name }) => ({
          ...{ node: name, name, healthy: 'yes', leader: false },
          voter: name === 'cp-2' ? 'no' : 'yes',
        })),
      },
    },
    policy: REPLACE,
    expected: 'CCM2005',
  },
  {
    name: 'a node that shows no member of a stacked etcd forbids adding another',
    observation: {
      ...clusterOf(SHARED),
      etcd: {
        topology: 'stacked',
        members: clusterOf(SHARED)
          .nodes.slice(1)
          .map(({ name }) => ({
            ...{ node: name, name, voter: 'yes', healthy: 'yes', leader: false },
          })),
      },
    },
    policy: REPLACE,
    expected: 'CCM2005',
  },
  {
    name: 'a sick node forbids adding another',
    observation: withFirstNode(SHARED, (node) => ({ ...node, ready: 'no' })),
    policy: REPLACE,
    expected: 'CCM2006',
  },
  {
    name: 'no rollback without a baseline when no KCM has loops',
    observation: { ...clusterOf(MIGRATED), baseline: null },
    target: 'kcm',
    expected: 'CCM2002',
  },
  {
    name: 'no rollback with a binary that lost its loops',
    observation: {
      ...clusterOf(MIGRATED),
      baseline: { digest: '', kcm: kcmConfig('external'), controlPlaneNodes: 3 },
    },
    target: 'kcm',
    expected: 'CCM2008',
  },
  {
    name: 'a KCM without a known standby CCM waits for one',
    observation: clusterOf({ ...SHARED, ccmLeader: 'dead' }),
    expected: 'releaseLease cloud-controller-manager',
  },
  {
    name: 'the holder is changed last',
    observation: clusterOf(SHARED),
    expected: 'externalizeKcm cp-2',
  },
  {
    name: 'a forbidden CCM is no standby, however healthy it looks (P18)',
    observation: {
      ...clusterOf(SHARED),
      access: { ...clusterOf(SHARED).access, mayUseMigrationLease: { kcm: 'yes', ccm: 'no' } },
    },
    expected: 'grantLeaseAccess leaseGrant',
  },
  {
    name: 'two owners: the running CCM stops first',
    observation: clusterOf({
      nodes: [
        { kcm: 'inTree', ccm: 'off' },
        { kcm: 'inTree', ccm: 'off' },
        { kcm: 'inTree', ccm: 'off' },
      ],
      kcmLeader: 0,
      ccmLeader: 2,
      migration: 'free',
    }),
    expected: 'stopSecondOwner cp-3',
  },
  {
    name: 'an external KCM on the migration lock is quieted',
    observation: clusterOf({
      nodes: [{ kcm: 'externalLm', ccm: 'on' }],
      kcmLeader: 0,
      ccmLeader: 0,
      migration: { manager: 'kcm', node: 0 },
      granted: true,
    }),
    expected: 'disableMigrationOnExternalKcm cp-1',
  },
];

describe('nextStep', () => {
  it.each(ROWS)('nextStep decides: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });

  it('nextStep never blocks without saying why, what to do, and what it rests on', () => {
    for (const { observation, target, policy } of ROWS) {
      const decision = nextStep(observation, target ?? 'ccm', policy ?? policyOf());
      const findings = decision.kind === 'blocked' ? decision.findings : [];
      for (const { why, fix, source, seen } of findings) {
        expect([why, fix, source, seen].every((text) => text.length > 5)).toBe(true);
      }
    }
  });

  it('nextStep names the manager whose settings are unknown', () => {
    const why = '/etc/kubernetes/leader-migration.conf changed after the start';
    const untold = (slot: ManagerSlot): ManagerSlot => ({
      ...slot,
      processes: slot.processes.map((process) => ({
        ...process,
        config: { ...process.config, leaderMigration: { kind: 'unreadable', why } },
      })),
    });
    const observation = withFirstNode(SHARED, (node) => ({ ...node, kcm: untold(node.kcm) }));
    const decision = nextStep(observation, 'ccm', policyOf());
    expect(decision).toMatchObject({
      kind: 'blocked',
      findings: [{ code: 'CCM2001', subject: 'kcm on cp-1', seen: why }],
    });
  });
});
