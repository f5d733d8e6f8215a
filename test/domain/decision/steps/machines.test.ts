import { describe, expect, it } from '@jest/globals';
import type { ClusterObservation } from '../../../../domain/observation/observation.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { kcmConfig } from '../../../support/manager-configs.js';
import { decisionOf, withNode, type DecisionRow } from './decisions.js';

const REPLACE = policyOf({ nodes: { forward: 'replace', rollback: 'replace' } });

/** Three nodes of the source side and, as the fourth, the first machine of the target side. */
const HALFWAY: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'external', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 3,
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};

const ofThree = (observation: ClusterObservation): ClusterObservation => ({
  ...observation,
  baseline: { digest: 'd', kcm: kcmConfig('inTree'), controlPlaneNodes: 3 },
});

const ofOne = (observation: ClusterObservation): ClusterObservation => ({
  ...observation,
  baseline: { digest: 'd', kcm: kcmConfig('inTree'), controlPlaneNodes: 1 },
});

const renamed = (observation: ClusterObservation): ClusterObservation => ({
  ...observation,
  nodes: observation.nodes.map((node, index) => ({
    ...node,
    name: ['main-a', 'main-b', 'main-c'][index] ?? node.name,
  })),
});

const BEFORE = {
  ...HALFWAY,
  nodes: HALFWAY.nodes.slice(0, 3),
  ccmLeader: 'free',
} as const;

const prepared = (observation: ClusterObservation): ClusterObservation => ({
  ...observation,
  access: { ...observation.access, ccmAccess: 'present' },
});

const ROWS: readonly DecisionRow[] = [
  {
    name: 'the next machine gets the next number',
    observation: prepared(ofThree(clusterOf(BEFORE))),
    expected: 'addMachine cp-4',
  },
  {
    name: 'a machine in service keeps its name, whatever its Node is called',
    observation: { ...prepared(ofThree(clusterOf(BEFORE))), takenNames: ['cp-4', 'cp-7'] },
    expected: 'addMachine cp-8',
  },
  {
    name: 'no first machine while the source machines may be repaired',
    observation: prepared(ofThree(clusterOf(BEFORE))),
    policy: { ...REPLACE, autoRepair: 'unknown' },
    expected: 'CCM2012',
  },
  {
    name: 'the operator may confirm that with a skip',
    observation: prepared(ofThree(clusterOf(BEFORE))),
    policy: {
      ...REPLACE,
      autoRepair: 'unknown',
      waivers: [{ code: 'CCM2012', observationDigest: '', actor: 'bo', reason: 'frozen by hand' }],
    },
    expected: 'addMachine cp-4',
  },
  {
    name: 'the confirmation is required once, before the first machine',
    observation: ofThree(
      clusterOf({
        ...HALFWAY,
        nodes: HALFWAY.nodes.slice(1),
        kcmLeader: 0,
        ccmLeader: 2,
        migration: 'free',
      }),
    ),
    policy: { ...REPLACE, autoRepair: 'unknown' },
    expected: 'addMachine cp-4',
  },
  {
    name: 'a number is appended to names without one',
    observation: prepared(ofThree(renamed(clusterOf(BEFORE)))),
    expected: 'addMachine main-a-1',
  },
  {
    name: 'the holder is removed last',
    observation: ofThree(clusterOf(HALFWAY)),
    expected: 'removeMachine cp-2',
  },
  {
    name: 'quorum precedes that order: an unhealthy node goes first',
    observation: ofThree(withNode(clusterOf(HALFWAY), 0, () => ({ ready: 'no' }))),
    expected: 'removeMachine cp-1',
  },
  {
    name: 'with two unhealthy nodes none goes',
    observation: ofThree(
      withNode(
        withNode(clusterOf(HALFWAY), 1, () => ({ ready: 'no' })),
        2,
        () => ({
          ready: 'unknown',
        }),
      ),
    ),
    expected: 'CCM2006',
  },
  {
    name: 'a machine whose removal was cut off, its KCM removed, is not kept',
    observation: ofThree(
      clusterOf({
        ...HALFWAY,
        nodes: [
          ...BEFORE.nodes.slice(0, 2),
          { kcm: 'none', ccm: 'none' },
          { kcm: 'external', ccm: 'on' },
        ],
      }),
    ),
    expected: 'removeMachine cp-2',
  },
  {
    name: 'the machine of the only CCM that runs waits for another to start its own',
    observation: ofOne(
      withNode(
        clusterOf({
          ...HALFWAY,
          nodes: [
            { kcm: 'inTreeLm', ccm: 'on' },
            { kcm: 'external', ccm: 'on' },
          ],
          ccmLeader: 0,
        }),
        1,
        ({ ccm }) => ({ ccm: { ...ccm, processes: [] } }),
      ),
    ),
    expected: 'awaitElection managersSettled',
  },
  {
    name: 'during rollback a machine is removed while KCM owns, even where no metric shows the standby',
    observation: ofThree(
      withNode(
        clusterOf({ ...HALFWAY, nodes: [...BEFORE.nodes, { kcm: 'none', ccm: 'on' }] }),
        0,
        ({ kcm }) => ({
          kcm: {
            ...kcm,
            processes: kcm.processes.map((process) => ({
              ...process,
              locks: { main: 'unknown', migration: 'unknown' },
            })),
          },
        }),
      ),
    ),
    target: 'kcm',
    expected: 'removeMachine cp-4',
  },
];

describe('machines that come and go', () => {
  it.each(ROWS)('machines are added and removed: $name', (row) => {
    expect(decisionOf({ policy: REPLACE, ...row })).toBe(row.expected);
  });
});
