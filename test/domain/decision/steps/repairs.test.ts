import { describe, expect, it } from '@jest/globals';
import { factsOf } from '../../../../domain/ownership/cluster-facts.js';
import type { ManagerConfig, ManagerSlot } from '../../../../domain/observation/observation.js';
import { mayStart } from '../../../../domain/decision/steps/repairs.js';
import { clusterOf, policyOf, type ClusterSpec } from '../../../support/cluster-builder.js';
import { ccmConfig, kcmConfig } from '../../../support/manager-configs.js';
import { decisionOf, withNode, type DecisionRow } from './decisions.js';

const cutOff = (successor: ManagerConfig): ManagerSlot => ({
  manifest: { state: 'interrupted', successorHash: 's', successor },
  processes: [],
});

const BY_KCM: ClusterSpec = {
  nodes: [
    { kcm: 'inTreeLm', ccm: 'none' },
    { kcm: 'inTreeLm', ccm: 'on' },
    { kcm: 'inTreeLm', ccm: 'on' },
  ],
  kcmLeader: 1,
  ccmLeader: 1,
  migration: { manager: 'kcm', node: 1 },
  granted: true,
};

const ROWS: readonly DecisionRow[] = [
  {
    name: 'R0 a change of a KCM that was cut off is finished',
    observation: withNode(clusterOf(BY_KCM), 0, () => ({ kcm: cutOff(kcmConfig('external')) })),
    expected: 'finishManifest cp-1',
  },
  {
    name: 'R0 a change of a CCM that was cut off is finished',
    observation: withNode(clusterOf(BY_KCM), 0, () => ({ ccm: cutOff(ccmConfig('on')) })),
    expected: 'finishManifest cp-1',
  },
  {
    name: 'R0 does not restore what would become a second owner; the step that is due decides',
    observation: withNode(clusterOf(BY_KCM), 0, () => ({ ccm: cutOff(ccmConfig('off')) })),
    expected: 'startCcm cp-1',
  },
  {
    name: 'R3 an unprotected KCM beside CCMs, KCM owns: the CCMs stop, the leading one first',
    observation: clusterOf({
      ...BY_KCM,
      nodes: [{ kcm: 'inTree', ccm: 'none' }, ...BY_KCM.nodes.slice(1)],
    }),
    expected: 'isolateUnprotectedKcm cp-2',
  },
  {
    name: 'R3 a standby CCM outside the lock stops before the leading one, which it would replace',
    observation: clusterOf({
      ...BY_KCM,
      nodes: [
        { kcm: 'inTree', ccm: 'none' },
        { kcm: 'inTreeLm', ccm: 'on' },
        { kcm: 'inTreeLm', ccm: 'off' },
      ],
    }),
    expected: 'isolateUnprotectedKcm cp-3',
  },
  {
    name: 'R3 one election before two owners: the leading CCM stops first, its standby holds nothing',
    observation: clusterOf({
      nodes: [
        { kcm: 'external', ccm: 'none' },
        { kcm: 'external', ccm: 'on' },
        { kcm: 'inTreeWrong', ccm: 'on' },
      ],
      kcmLeader: 2,
      ccmLeader: 2,
      migration: 'free',
      granted: true,
    }),
    expected: 'isolateUnprotectedKcm cp-3',
  },
  {
    name: 'R1 before R0: two owners are ended although a manifest that was cut off waits',
    observation: withNode(
      clusterOf({
        nodes: [
          { kcm: 'inTree', ccm: 'none' },
          { kcm: 'external', ccm: 'off' },
          { kcm: 'none', ccm: 'off' },
        ],
        kcmLeader: 0,
        ccmLeader: 1,
        migration: 'free',
      }),
      2,
      () => ({ kcm: cutOff(kcmConfig('external')) }),
    ),
    expected: 'stopSecondOwner cp-2',
  },
  {
    name: 'R3 before R2: an external KCM gives its main lock to no unprotected KCM beside a CCM',
    observation: clusterOf({
      nodes: [
        { kcm: 'inTree', ccm: 'none' },
        { kcm: 'externalLm', ccm: 'on' },
        { kcm: 'external', ccm: 'on' },
      ],
      kcmLeader: 1,
      ccmLeader: 2,
      migration: { manager: 'kcm', node: 1 },
      granted: true,
    }),
    expected: 'isolateUnprotectedKcm cp-3',
  },
  {
    name: 'R3 an unprotected KCM beside CCMs, CCM owns: that KCM loses its loops',
    observation: clusterOf({
      ...BY_KCM,
      nodes: [{ kcm: 'inTree', ccm: 'none' }, ...BY_KCM.nodes.slice(1)],
      migration: { manager: 'ccm', node: 1 },
    }),
    expected: 'isolateUnprotectedKcm cp-1',
  },
  {
    name: 'R4 a CCM outside the lock, KCM owns: that CCM stops',
    observation: clusterOf({
      ...BY_KCM,
      nodes: [{ kcm: 'inTreeLm', ccm: 'off' }, ...BY_KCM.nodes.slice(1)],
    }),
    expected: 'isolateUnprotectedCcm cp-1',
  },
  {
    name: 'R4 a CCM outside the lock, CCM owns: the KCMs lose their loops, the leading one last',
    observation: clusterOf({
      ...BY_KCM,
      nodes: [{ kcm: 'inTreeLm', ccm: 'off' }, ...BY_KCM.nodes.slice(1)],
      migration: { manager: 'ccm', node: 1 },
    }),
    expected: 'isolateUnprotectedCcm cp-1',
  },
  {
    name: 'R4 leaves CCMs alone where no KCM has loops; they get the lock that policy keeps',
    observation: clusterOf({
      ...BY_KCM,
      nodes: BY_KCM.nodes.map(() => ({ kcm: 'external', ccm: 'off' }) as const),
      migration: 'free',
    }),
    expected: 'protectCcm cp-1',
  },
  {
    name: 'two owners without a CCM are identified by their locks, and not reported as a mistake of ours',
    observation: {
      ...clusterOf({
        ...BY_KCM,
        nodes: [
          { kcm: 'inTree', ccm: 'none' },
          { kcm: 'inTree', ccm: 'none' },
        ],
        ccmLeader: 'free',
        migration: 'free',
      }),
      nodes: clusterOf({
        ...BY_KCM,
        nodes: [
          { kcm: 'inTree', ccm: 'none' },
          { kcm: 'inTree', ccm: 'none' },
        ],
      }).nodes.map((node) => ({
        ...node,
        kcm: {
          ...node.kcm,
          processes: node.kcm.processes.map((process) => ({
            ...process,
            config: { ...process.config, leaderElect: false },
          })),
        },
      })),
    },
    target: 'kcm',
    expected: 'CCM2018',
  },
];

describe('repairs', () => {
  it.each(ROWS)('repairs: $name', (row) => {
    expect(decisionOf(row)).toBe(row.expected);
  });
});

describe('a successor that was cut off', () => {
  const spec = (kcm: 'inTreeLm' | 'external', ccm: 'none' | 'on' | 'off'): ClusterSpec => ({
    nodes: [{ kcm, ccm }],
    kcmLeader: 0,
    ccmLeader: 0,
    migration: 'free',
  });

  it.each([
    { name: 'external', config: kcmConfig('external'), beside: spec('inTreeLm', 'on'), may: true },
    {
      name: 'external on the migration lock',
      config: kcmConfig('externalLm'),
      beside: spec('inTreeLm', 'none'),
      may: false,
    },
    {
      name: 'in-tree without the lock, no CCM there',
      config: kcmConfig('inTree'),
      beside: spec('inTreeLm', 'none'),
      may: true,
    },
    {
      name: 'in-tree without the lock beside a CCM',
      config: kcmConfig('inTree'),
      beside: spec('inTreeLm', 'on'),
      may: false,
    },
    {
      name: 'in-tree with the lock beside a CCM with it',
      config: kcmConfig('inTreeLm'),
      beside: spec('inTreeLm', 'on'),
      may: true,
    },
    {
      name: 'in-tree with the lock beside a CCM without',
      config: kcmConfig('inTreeLm'),
      beside: spec('inTreeLm', 'off'),
      may: false,
    },
    {
      name: 'a CCM without the lock where no KCM has loops',
      config: ccmConfig('off'),
      beside: spec('external', 'none'),
      may: true,
    },
    {
      name: 'a CCM without the lock beside an in-tree KCM',
      config: ccmConfig('off'),
      beside: spec('inTreeLm', 'none'),
      may: false,
    },
  ])('a successor may start: $may ($name)', ({ config, beside, may }) => {
    expect(mayStart(factsOf(clusterOf(beside), 'ccm', policyOf()), config)).toBe(may);
  });
});
