import { describe, expect, it } from '@jest/globals';
import { policyOf } from '../../support/cluster-builder.js';
import { CCM_POD } from '../manifests/given-manifests.js';
import type { Row } from './given.js';
import { cluster, findings, node, NO_WORKERS, withInventory, withNode } from './given.js';

const gce = policyOf({ source: { ...policyOf().source, cloudProvider: 'gce' } });

describe('nodes', () => {
  it.each<readonly [string, Row, ...string[]]>([
    ['not Ready', node({ ready: 'no' }), 'CCM1201 error node cp-1: not Ready'],
    ['unknown', node({ ready: 'unknown' }), 'CCM1201 error node cp-1: unknown'],
    [
      'workers not Ready',
      {
        observation: withInventory(cluster(), () => ({
          workers: { ...NO_WORKERS, total: 5, ready: 3 },
        })),
      },
      'CCM1201 warning worker nodes: 2 of 5 not Ready',
    ],
    [
      'without a providerID',
      {
        observation: withInventory(cluster(), (i) => ({
          nodes: { ...i.nodes, withoutProviderId: 1 },
          exceptions: ['Service a/b has no address', 'Node w-1 has no providerID'],
        })),
      },
      'CCM1202 warning nodes: 1 without; Node w-1 has no providerID',
    ],
    ['no providerID on a control-plane node', node({ providerId: null })],
    ['an empty providerID', node({ providerId: '' }), 'CCM1203 error node cp-1: empty'],
    ['a malformed providerID', node({ providerId: 'i-0123' }), 'CCM1203 error node cp-1: i-0123'],
    [
      'one of another provider',
      { observation: withNode(cluster(), () => ({ providerId: 'other://x' }), 2) },
      'CCM1203 error node cp-3: other://x',
    ],
    [
      'all of another than the named provider',
      { ...node({ providerId: 'gce://p/z/a' }), policy: gce },
      'CCM1101 off',
      'CCM1203 error node cp-2: labcloud://cp-2',
      'CCM1203 error node cp-3: labcloud://cp-3',
    ],
    [
      'another hostname',
      node({ hostname: 'ip-10-0-0-1' }),
      'CCM1204 info node cp-1: hostname ip-10-0-0-1',
    ],
    ['an unknown hostname', node({ hostname: null })],
    [
      'an unreachable node',
      node({ reachable: false }),
      'CCM1207 error node cp-1: files and processes cannot be read',
    ],
    [
      'an unreadable manifest',
      node({ ccm: { manifest: { state: 'unknown', why: '3:1: no image' }, processes: [] } }),
      'CCM1207 error node cp-1: 3:1: no image',
    ],
    [
      'one address for all',
      { extra: { apiEndpointNode: 'cp-1' } },
      'CCM1208 warning API endpoint: address of node cp-1',
    ],
    [
      'one node is its own address',
      {
        extra: { apiEndpointNode: 'cp-1' },
        observation: { ...cluster(), nodes: cluster().nodes.slice(0, 1) },
      },
    ],
    ['a balancer', { extra: { apiEndpointNode: null } }],
    [
      'uninitialised nodes',
      {
        observation: withInventory(cluster(), () => ({
          workers: { ...NO_WORKERS, uninitialized: 2 },
        })),
      },
      'CCM1209 warning nodes: 2 with the uninitialized taint',
    ],
  ])('preflight checks nodes: %s', (_, row, ...expected) => {
    expect(findings(row).filter((one) => !one.startsWith('CCM1107'))).toEqual(
      expected.filter((one) => !one.endsWith('off')),
    );
  });

  const external = {
    ...cluster(),
    nodes: cluster().nodes.map((one) => ({ ...one, kubeletCloudProvider: 'external' as const })),
  };

  it.each([
    ['in-tree kubelets', {}, true],
    [
      'in-tree workers',
      {
        observation: withInventory(external, () => ({
          workers: { ...NO_WORKERS, total: 1, kubeletInTree: 1 },
        })),
      },
      true,
    ],
    ['external kubelets', { observation: external }, false],
    [
      'a CCM without cloud-node',
      { extra: { ccmManifest: `${CCM_POD}    - --controllers=*,-cloud-node\n` } },
      false,
    ],
    ['a CCM with cloud-node', { extra: { ccmManifest: CCM_POD } }, true],
    [
      'a CCM of an unknown version',
      {
        policy: policyOf({ ccm: { ...policyOf().ccm, version: '' } }),
        extra: { ccmManifest: CCM_POD },
      },
      true,
    ],
  ])('preflight finds two writers of addresses: %s', (_, row: Row, two) => {
    expect(findings(row, true).some((one) => one.startsWith('CCM1205'))).toBe(two);
  });
});
