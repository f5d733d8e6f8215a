import { listAt, objectAt, valueAt } from '../../base/json.js';
import type { DraftObject, ObjectStore, StoredObject } from '../model.js';
import { UNINITIALIZED_TAINT } from '../loops/node-facts.js';

export type KubeletCloudProvider = 'inTree' | 'external' | 'none';

export interface NodeFacts {
  readonly name: string;
  readonly osHostname: string;
  readonly ip: string;
  readonly kubeletVersion: string;
  readonly cloudProvider: KubeletCloudProvider;
  readonly role: 'control-plane' | 'worker';
  readonly podCidr: string;
  readonly bootId: string;
}

const CONTROL_PLANE = 'node-role.kubernetes.io/control-plane';

/** A Node as its kubelet registers it: in-tree kubelets set the providerID, external ones leave it to the CCM. */
export function nodeDraft(facts: NodeFacts, nowMs: number): DraftObject {
  const { name, cloudProvider, role, podCidr } = facts;
  const isExternal = cloudProvider === 'external';
  const taints = [
    ...(role === 'control-plane' ? [{ key: CONTROL_PLANE, effect: 'NoSchedule' }] : []),
    ...(isExternal ? [{ key: UNINITIALIZED_TAINT, value: 'true', effect: 'NoSchedule' }] : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': facts.osHostname,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        ...(role === 'control-plane' ? { [CONTROL_PLANE]: '' } : {}),
      },
      // No alpha.kubernetes.io/provided-node-ip: a kubelet writes it only with --node-ip, an in-tree one too. Source:
      // kubernetes/kubernetes pkg/kubelet/nodestatus/setters.go.
      annotations: {},
    },
    spec: {
      podCIDR: podCidr,
      podCIDRs: [podCidr],
      ...(cloudProvider === 'inTree' ? { providerID: `labcloud://${name}` } : {}),
      ...(taints.length > 0 ? { taints } : {}),
    },
    status: nodeStatus(facts, 'True', nowMs),
  };
}

export function nodeStatus(
  facts: NodeFacts,
  ready: 'True' | 'False' | 'Unknown',
  nowMs: number,
): Readonly<Record<string, unknown>> {
  return {
    addresses: [
      { type: 'InternalIP', address: facts.ip },
      { type: 'Hostname', address: facts.osHostname },
    ],
    conditions: [readyCondition(ready, nowMs)],
    nodeInfo: {
      kubeletVersion: `v${facts.kubeletVersion}`,
      bootID: facts.bootId,
      machineID: facts.name,
      osImage: 'Simulated Linux',
      operatingSystem: 'linux',
      architecture: 'amd64',
    },
  };
}

/** Writes the Ready condition of an existing Node and changes nothing else. */
export function setReady(
  store: ObjectStore,
  name: string,
  ready: 'True' | 'Unknown',
  nowMs: number,
): void {
  const answer = store.get({ resource: 'nodes', name });
  if (answer.ok)
    store.update('nodes', withReady(answer.object, ready, nowMs), { subresource: 'status' });
}

function withReady(node: StoredObject, ready: 'True' | 'Unknown', nowMs: number): StoredObject {
  const others = listAt(node, 'status', 'conditions').filter(
    (each) => valueAt(each, 'type') !== 'Ready',
  );
  const status = {
    ...objectAt(node, 'status'),
    conditions: [...others, readyCondition(ready, nowMs)],
  };
  return { ...node, status };
}

function readyCondition(status: string, nowMs: number): Readonly<Record<string, unknown>> {
  const time = new Date(nowMs).toISOString();
  const isReady = status === 'True';
  return {
    type: 'Ready',
    status,
    reason: isReady ? 'KubeletReady' : 'NodeStatusUnknown',
    message: isReady ? 'kubelet is posting ready status' : 'Kubelet stopped posting node status.',
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  };
}
