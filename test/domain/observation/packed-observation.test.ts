import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { digestText } from '../../../domain/digest.js';
import { managerProcesses } from '../../../domain/ownership/owners.js';
import type {
  ClusterObservation,
  ControlPlaneNode,
  ManagerConfig,
  ManagerSlot,
} from '../../../domain/observation/observation.js';
import {
  packObservation,
  unpackObservation,
} from '../../../domain/observation/packed-observation.js';
import { arbitraryObservation } from '../../support/arbitrary-observation.js';
import { clusterOf } from '../../support/cluster-builder.js';
import { ccmConfig, kcmConfig } from '../../support/manager-configs.js';

const MOST_BYTES = 16 * 1024;

function bytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

describe('a packed observation', () => {
  it('a packed observation contains all that was packed, through JSON too', () => {
    fc.assert(
      fc.property(arbitraryObservation, (observation) => {
        const packed = packObservation(observation);
        expect(unpackObservation(packed)).toEqual(observation);
        expect(unpackObservation(JSON.parse(JSON.stringify(packed)))).toEqual(observation);
      }),
      { numRuns: 1000 },
    );
  });

  it('a packed observation is never larger by more than its own frame', () => {
    fc.assert(
      fc.property(arbitraryObservation, (observation) => {
        expect(bytes(packObservation(observation))).toBeLessThan(bytes(observation) + 40);
      }),
    );
  });

  it('a packed observation holds each set of settings once, and returns one object for it', () => {
    const two = { kcm: 'inTreeLm', ccm: 'on' } as const;
    const observation = clusterOf({
      nodes: [two, two],
      kcmLeader: 0,
      ccmLeader: 1,
      migration: { manager: 'kcm', node: 0 },
    });
    const packed = packObservation(observation);
    expect(packed.configs).toHaveLength(3);
    const { nodes } = unpackObservation(packed);
    const [first, second] = nodes.map(({ kcm }) => kcm.processes[0]?.config);
    expect(first).toBe(second);
  });

  it('a packed observation leaves out usual values', () => {
    const observation = clusterOf({
      nodes: [{ kcm: 'external', ccm: 'none' }],
      kcmLeader: 'free',
      ccmLeader: 'free',
      migration: 'free',
    });
    const [config] = packObservation(observation).configs;
    expect(config).not.toHaveProperty('timings');
    expect(packObservation(observation).nodes).toEqual([
      {
        name: 'cp-1',
        side: 'target',
        kubeletVersion: '1.29.15',
        kubeletCloudProvider: 'inTree',
        providerId: 'labcloud://cp-1',
        kcm: {
          manifest: { state: 'present', source: 'staticPod', hash: 'kcm-0', config: 0 },
          processes: [{ pid: 100, startedAtMs: 1000, config: 0 }],
        },
      },
    ]);
  });

  it('a packed observation that refers to missing settings is rejected', () => {
    const observation = clusterOf({
      nodes: [{ kcm: 'external', ccm: 'none' }],
      kcmLeader: 'free',
      ccmLeader: 'free',
      migration: 'free',
    });
    const packed = { ...packObservation(observation), configs: [] };
    expect(() => unpackObservation(packed)).toThrow('no settings 0');
  });
});

const REALISTIC: Partial<ManagerConfig> = {
  clusterName: 'prod-eu-central-1-payments',
  clusterCidr: '10.244.0.0/14,fd00:10:244::/56',
  controllers: '*,bootstrapsigner,tokencleaner,-cloud-node-lifecycle',
  cloudConfigHash: digestText('cloud'),
  featureGates:
    'CSIMigrationGCE=true,RotateKubeletServerCertificate=true,GracefulNodeShutdown=true',
};

function realistic(config: ManagerConfig): ManagerConfig {
  const { manager, leaderMigration } = config;
  const name = manager === 'kcm' ? 'kube-controller-manager' : 'cloud-controller-manager';
  return {
    ...config,
    ...REALISTIC,
    image: `registry.eu-central-1.example.com/mirror/kubernetes/${name}:v${config.version}@${digestText(name)}`,
    leaderMigration:
      leaderMigration.kind === 'on'
        ? { ...leaderMigration, configHash: digestText('migration') }
        : leaderMigration,
  };
}

/** A manager as in a large cloud: long names, digests everywhere. */
function realisticSlot({ manifest, processes }: ManagerSlot, place: string): ManagerSlot {
  return {
    manifest:
      manifest.state === 'present'
        ? { ...manifest, hash: digestText(place), config: realistic(manifest.config) }
        : manifest,
    processes: processes.map((process, index) => ({
      ...process,
      pid: 1_204_518 + index,
      startedAtMs: 1_795_410_000_123,
      podUid: '7f0b6a0e-8a7c-4bd4-9d0e-3c5a4b1f2e6d',
      config: realistic(process.config),
      restarts: 3,
      identity: `${place}_7f0b6a0e-8a7c-4bd4-9d0e-3c5a4b1f2e6d`,
      locks: { main: 'held', migration: 'held' },
    })),
  };
}

function realisticNode(node: ControlPlaneNode, index: number): ControlPlaneNode {
  const name = `ip-10-123-45-${String(100 + index)}.eu-central-1.compute.internal`;
  return {
    ...node,
    name,
    hostname: `ip-10-123-45-${String(100 + index)}`,
    kubeletVersion: '1.29.15-eks-a1b2c3d',
    providerId: `aws:///eu-central-1a/i-0123456789abcde${String(index)}f`,
    kcm: realisticSlot(node.kcm, `kcm.${name}`),
    ccm: realisticSlot(node.ccm, `ccm.${name}`),
  };
}

/** Half-way: every node has both managers with different settings; etcd on the nodes; all lists full. */
function largeCluster(size: number): ClusterObservation {
  const cluster = clusterOf({
    nodes: Array.from({ length: size }, (_, index) => ({
      kcm: index < size / 2 ? 'external' : 'inTreeLm',
      ccm: 'on',
    })),
    kcmLeader: 0,
    ccmLeader: 1,
    migration: { manager: 'ccm', node: 1 },
  });
  const nodes = cluster.nodes.map(realisticNode);
  return {
    ...cluster,
    nodes,
    cluster: { uid: '7f0b6a0e-8a7c-4bd4-9d0e-3c5a4b1f2e6d', name: 'prod-eu-central-1-payments' },
    observedAtMs: 1_795_410_000_123,
    machinesOrdered: [
      {
        name: 'ip-10-123-45-200',
        side: 'target',
        state: 'booting',
        reason: 'waits for its kubelet',
      },
    ],
    etcd: {
      topology: 'stacked',
      members: nodes.map(({ name }, index) => ({
        node: name,
        name,
        voter: 'yes',
        healthy: 'yes',
        leader: index === 0,
      })),
    },
    leases: cluster.leases.map((lease) => ({
      ...lease,
      holder: `${String(nodes[0]?.name)}_7f0b6a0e-8a7c-4bd4-9d0e-3c5a4b1f2e6d`,
      resourceVersion: '1234567890',
      freshness: { kind: 'silent', sinceMs: 1_795_410_000_123 },
    })),
    baseline: {
      digest: digestText('baseline'),
      kcm: realistic(kcmConfig('inTree')),
      controlPlaneNodes: size,
    },
    ccmWorkload: {
      source: 'daemonSet',
      owner: 'ours',
      name: 'cloud-controller-manager',
      template: realistic(ccmConfig('on')),
    },
    inventory: {
      workers: {
        total: 4980,
        ready: 4979,
        kubeletInTree: 2000,
        kubeletExternal: 2980,
        uninitialized: 1,
      },
      services: { loadBalancers: 612, pending: 3, ingressDigest: digestText('ingress') },
      nodes: { total: 4987, withoutProviderId: 2, digest: digestText('nodes') },
      persistentVolumes: { inTree: 12 },
      exceptions: Array.from(
        { length: 20 },
        (_, index) => `node ip-10-123-46-${String(index)}.eu-central-1.compute.internal not Ready`,
      ),
    },
  };
}

describe('seven control-plane nodes', () => {
  const seven = largeCluster(7);

  it('seven control-plane nodes fit into 16 KB, both managers on each, etcd too, and everything half-way', () => {
    expect(managerProcesses(seven)).toHaveLength(14);
    expect(bytes(seven)).toBeGreaterThan(2 * MOST_BYTES);
    expect(bytes(packObservation(seven))).toBeLessThanOrEqual(MOST_BYTES);
    expect(unpackObservation(packObservation(seven))).toEqual(seven);
  });

  it('seven control-plane nodes cost less than 1,150 bytes each', () => {
    const [four, ten] = [4, 10].map((size) => bytes(packObservation(largeCluster(size))));
    expect((Number(ten) - Number(four)) / 6).toBeLessThan(1150);
  });
});
