import { describe, expect, it } from '@jest/globals';
import { differences } from '../../../cli/plan/renewed-plan.js';
import type { ClusterObservation } from '../../../domain/observation/observation.js';
import { planDigest, steadyObservation } from '../../../domain/observation/plan-digest.js';
import { clusterOf, policyOf, UNTOUCHED } from '../../support/cluster-builder.js';

const BEFORE = clusterOf(UNTOUCHED);

function digestOf(observation: ClusterObservation): string {
  return planDigest({
    cluster: { uid: 'uid-1' },
    target: 'ccm',
    policy: { ...policyOf() },
    timings: {},
    materials: { ccmManifest: '' },
    observation: { ...steadyObservation(observation) },
  });
}

function withProcess(changes: object): ClusterObservation {
  return {
    ...BEFORE,
    nodes: BEFORE.nodes.map((node) => ({
      ...node,
      kcm: { ...node.kcm, processes: node.kcm.processes.map((one) => ({ ...one, ...changes })) },
    })),
  };
}

function withoutProcesses(): ClusterObservation {
  return {
    ...BEFORE,
    nodes: BEFORE.nodes.map((node) => ({ ...node, kcm: { ...node.kcm, processes: [] } })),
  };
}

describe('the digest of a plan', () => {
  it.each<[string, ClusterObservation]>([
    ['time', { ...BEFORE, observedAtMs: 9 }],
    ['a Lease', { ...BEFORE, leases: [] }],
    [
      'another pid, start and identity',
      withProcess({ pid: 9, startedAtMs: 9, identity: 'x', restarts: 9 }),
    ],
    ['managers in the middle of a restart', withoutProcesses()],
    ['a lock won or lost', withProcess({ locks: { main: 'waiting', migration: 'waiting' } })],
    [
      'workers that come and go',
      {
        ...BEFORE,
        inventory: { ...BEFORE.inventory, nodes: { total: 9, withoutProviderId: 0, digest: 'x' } },
      },
    ],
    [
      'a node that restarts',
      { ...BEFORE, nodes: BEFORE.nodes.map((node) => ({ ...node, ready: 'no' as const })) },
    ],
  ])('the digest of a plan stays the same after %s', (_case, after) => {
    expect(digestOf(after)).toBe(digestOf(BEFORE));
  });

  it.each<[string, ClusterObservation, string]>([
    [
      'an API server version',
      { ...BEFORE, apiServers: { versions: ['1.31.1'], sharedAddress: 'yes' } },
      'apiServers.versions.0: 1.30.14 → 1.31.1',
    ],
    [
      'a node that left',
      { ...BEFORE, nodes: BEFORE.nodes.slice(0, 1) },
      `nodes.${BEFORE.nodes[1]?.name ?? ''}`,
    ],
    [
      'a changed setting',
      withProcess({ config: { ...BEFORE.nodes[0]?.kcm.processes[0]?.config, image: 'other:1' } }),
      'image',
    ],
    [
      'access',
      { ...BEFORE, access: { ...BEFORE.access, leaseGrant: 'partial' } },
      'access.leaseGrant',
    ],
    ['a name that a new machine cannot have', { ...BEFORE, takenNames: ['cp-9'] }, 'takenNames'],
  ])(
    'the digest of a plan changes with %s, and the difference is reported',
    (_case, after, expected) => {
      expect(digestOf(after)).not.toBe(digestOf(BEFORE));
      const lines = differences(steadyObservation(BEFORE), steadyObservation(after)).map(
        ({ path, before, after: now }) => `${path}: ${before} → ${now}`,
      );
      expect(lines.join('\n')).toContain(expected);
    },
  );
});
