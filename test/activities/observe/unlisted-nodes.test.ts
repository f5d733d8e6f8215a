import { describe, expect, it } from '@jest/globals';
import { unlistedNodes } from '../../../activities/observe/unlisted-nodes.js';
import type { PodObject } from '../../../activities/observe/objects.js';
import type { MachineReading } from '../../../activities/observe/readings.js';

function pod(nodeName: string, owner = 'Node'): PodObject {
  return {
    metadata: { name: `kube-controller-manager-${nodeName}`, ownerReferences: [{ kind: owner }] },
    spec: { nodeName },
  };
}

function machine(
  name: string,
  state: MachineReading['state'] = 'ready',
  node: string | null = name,
): MachineReading {
  return { name, node, side: 'source', state, reason: '' };
}

interface Row {
  readonly name: string;
  readonly nodes?: readonly string[];
  readonly pods?: readonly PodObject[];
  readonly machines?: readonly MachineReading[] | null;
  readonly expected: readonly string[];
}

const ROWS: readonly Row[] = [
  { name: 'its Node is not listed and its static pods are', expected: ['cp-3'] },
  { name: 'every Node is listed', nodes: ['cp-1', 'cp-2', 'cp-3'], expected: [] },
  { name: 'no Node is listed: a hosted control plane', nodes: [], expected: [] },
  {
    name: 'a workload may run on any Node',
    pods: [pod('cp-1'), pod('worker-1', 'DaemonSet'), pod('worker-2', 'ReplicaSet')],
    expected: [],
  },
  {
    name: 'its machine is ready',
    machines: ['cp-1', 'cp-2', 'cp-3'].map((name) => machine(name)),
    expected: ['cp-3'],
  },
  {
    name: 'its machine has failed, and may run on',
    machines: [machine('cp-1'), machine('m-7', 'failed', 'cp-3')],
    expected: ['cp-3'],
  },
  { name: 'its machine is deleted', machines: [machine('cp-1')], expected: [] },
  {
    name: 'its machine is being deleted, and may run until it is',
    machines: [machine('cp-1'), machine('cp-3', 'deleting')],
    expected: ['cp-3'],
  },
  {
    name: 'its machine is being deleted, and is listed without its Node',
    machines: [machine('cp-1'), machine('cp-3', 'deleting', null)],
    expected: ['cp-3'],
  },
  {
    name: 'its static pods are no longer listed, and its machine is ready',
    pods: [pod('cp-1'), pod('cp-2')],
    machines: [machine('cp-1'), machine('m-2', 'ready', 'cp-2'), machine('m-3', 'ready', 'cp-3')],
    expected: ['cp-3'],
  },
  {
    name: 'its static pods are no longer listed, and its machine has failed or is being deleted',
    pods: [],
    machines: [machine('cp-1'), machine('cp-3', 'failed'), machine('cp-4', 'deleting')],
    expected: ['cp-3', 'cp-4'],
  },
  {
    name: 'its static pods are no longer listed, nor the Node of its machine',
    pods: [],
    machines: [machine('cp-1'), machine('m-2', 'ready', 'cp-2'), machine('m-3', 'ready', null)],
    expected: ['m-3'],
  },
  {
    name: 'a machine that is listed without its Node may be that of a Node without another',
    pods: [],
    machines: [machine('cp-1'), machine('m-2', 'ready', null)],
    expected: [],
  },
  {
    name: 'a machine that is listed without its Node has the name of one',
    pods: [],
    machines: [machine('m-1', 'ready', 'cp-1'), machine('cp-2', 'ready', null)],
    expected: [],
  },
  {
    name: 'its machine never came up',
    pods: [],
    machines: [machine('cp-1'), machine('cp-2'), machine('cp-3', 'failed', null)],
    expected: [],
  },
  {
    name: 'its machine is registered before its Node has its label',
    pods: [],
    machines: [machine('cp-1'), machine('cp-3', 'booting')],
    expected: [],
  },
  {
    name: 'its machine boots: its Node has no label yet',
    machines: [machine('cp-1'), machine('cp-3', 'booting', null)],
    expected: [],
  },
  {
    name: 'a provider that knows none of the Nodes proves nothing',
    machines: [machine('m-1', 'ready', null), machine('m-2', 'booting', 'other-1')],
    expected: ['cp-3'],
  },
];

describe('a control-plane host whose Node is not listed', () => {
  it.each(ROWS)('$name', ({ nodes, pods, machines, expected }) => {
    const found = unlistedNodes({
      nodeObjects: (nodes ?? ['cp-1', 'cp-2']).map((name) => ({ metadata: { name } })),
      controlPlanePods: pods ?? [pod('cp-1'), pod('cp-3'), pod('cp-3'), pod('cp-2')],
      machines: machines ?? null,
    });
    expect(found.map(({ metadata }) => metadata?.name)).toEqual(expected);
  });
});
