import { describe, expect, it } from '@jest/globals';
import {
  clusterOf,
  policyOf,
  type ClusterSpec,
  UNTOUCHED,
} from '../../../support/cluster-builder.js';
import { kcmConfig } from '../../../support/manager-configs.js';
import { decisionOf, withNode, type DecisionRow } from './decisions.js';

const MIXED: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'external', ccm: 'on' },
  ],
  kcmLeader: 0,
  ccmLeader: 1,
  migration: { manager: 'kcm', node: 0 },
  granted: true,
};
const EVERYWHERE: ClusterSpec = {
  ...MIXED,
  nodes: [
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
};

const ROWS: readonly DecisionRow[] = [
  {
    name: 'the first observation is stored before anything changes',
    observation: { ...clusterOf(UNTOUCHED), baseline: null },
    expected: 'recordBaseline',
  },
  {
    name: 'the last in-tree manifest of a cluster that an operator migrated half-way is stored before it goes',
    observation: { ...clusterOf(MIXED), baseline: null },
    expected: 'recordBaseline',
  },
  {
    name: "a repair that removes a KCM's loops stores its manifest first, R3",
    observation: {
      ...clusterOf({
        ...MIXED,
        nodes: [
          { kcm: 'inTree', ccm: 'on' },
          { kcm: 'external', ccm: 'on' },
        ],
        kcmLeader: 1,
        migration: { manager: 'ccm', node: 1 },
      }),
      baseline: null,
    },
    expected: 'recordBaseline',
  },
  {
    name: "a repair that removes a KCM's loops stores its manifest first, R4",
    observation: {
      ...clusterOf({
        ...MIXED,
        nodes: [
          { kcm: 'inTreeLm', ccm: 'on' },
          { kcm: 'external', ccm: 'off' },
        ],
        kcmLeader: 1,
        migration: 'free',
      }),
      baseline: null,
    },
    expected: 'recordBaseline',
  },
  {
    name: 'a parked manifest is as good a source as one in place',
    observation: withNode(
      {
        ...clusterOf({
          ...MIXED,
          nodes: [
            { kcm: 'none', ccm: 'on' },
            { kcm: 'external', ccm: 'on' },
          ],
          kcmLeader: 1,
          migration: { manager: 'ccm', node: 1 },
        }),
        baseline: null,
      },
      0,
      () => ({
        kcm: {
          manifest: { state: 'parked', hash: 'p', config: kcmConfig('inTree') },
          processes: [],
        },
      }),
    ),
    expected: 'recordBaseline',
  },
  {
    name: 'while every KCM has its loops a CCM beside them changes nothing about it',
    observation: { ...clusterOf(EVERYWHERE), baseline: null },
    expected: 'recordBaseline',
  },
  {
    name: 'a dead holder of the migration Lease is left alone while no process waits for it',
    observation: clusterOf({ ...UNTOUCHED, migration: 'dead', granted: true }),
    expected: 'prepareCcm ccmAccess',
  },
  {
    name: 'a version that cannot be parsed is newer than any API server',
    observation: {
      ...clusterOf(EVERYWHERE),
      apiServers: { versions: ['unheard-of'], sharedAddress: 'yes' },
    },
    expected: 'CCM2011',
  },
  {
    name: 'without a shared lock, too, in-tree volumes forbid an external KCM',
    observation: {
      ...clusterOf({ ...UNTOUCHED, nodes: UNTOUCHED.nodes.slice(0, 1) }),
      access: { ...clusterOf(UNTOUCHED).access, ccmAccess: 'present' },
      inventory: { ...clusterOf(UNTOUCHED).inventory, persistentVolumes: { inTree: 2 } },
    },
    policy: policyOf({ strategy: 'gap' }),
    expected: 'CCM2013',
  },
  {
    name: 'a KCM that is started and not in its place any more still counts as external',
    observation: {
      ...clusterOf(MIXED),
      nodes: clusterOf(MIXED).nodes.map((node, index) =>
        index === 1 ? { ...node, kcm: { ...node.kcm, manifest: { state: 'absent' } } } : node,
      ),
    },
    expected: 'externalizeKcm cp-1',
  },
];

describe('the first steps', () => {
  it.each(ROWS)('first steps: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });
});
