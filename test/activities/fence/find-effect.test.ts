import { describe, expect, it } from '@jest/globals';
import { findEffect, kubeletDigest, processDigest } from '../../../activities/fence/find-effect.js';
import { digestObject, RELEASE_NOTE } from '../../../activities/object-digest.js';
import type { LeaseObject } from '../../../activities/lease-reading.js';
import type { ClusterPorts, HostState } from '../../../activities/ports.js';

const lease = (holderIdentity: string, released: string): LeaseObject => ({
  kind: 'Lease',
  metadata: { name: 'kcm', annotations: { [RELEASE_NOTE]: released } },
  spec: { holderIdentity },
});

/** Ports through which only this one Lease can be read. */
function portsWith(object: LeaseObject | null): ClusterPorts {
  const get = () => Promise.resolve(object === null ? null : { object, serverTimeMs: 0 });

  return { api: { get } } as unknown as ClusterPorts;
}

describe('whether a Lease was released by a request whose response was lost', () => {
  const release = {
    verb: 'patch',
    object: 'Lease kube-system/kcm',
    before: digestObject(lease('cp-1_dead', 'run-1 3 40')),
    after: digestObject(lease('', 'run-1 4 77')),
  } as const;

  it.each([
    ['the Lease is empty, with our note', lease('', 'run-1 4 77'), 'applied'],
    [
      'the standby acquired the Lease after our release',
      lease('cp-2_new', 'run-1 4 77'),
      'applied',
    ],
    ['the Lease is unchanged', lease('cp-1_dead', 'run-1 3 40'), 'notApplied'],
    ['the standby waited until it expired', lease('cp-2_new', 'run-1 3 40'), 'changed'],
    ['its holder released it by itself', lease('', 'run-1 3 40'), 'changed'],
    ['the Lease is gone', null, 'changed'],
  ] as const)(
    'the Lease shows whether a lost release took effect: %s',
    async (_name, found, expected) => {
      expect(await findEffect(portsWith(found), release, {})).toBe(expected);
    },
  );
});

describe('whether a kubelet was restarted by a request whose response was lost', () => {
  const host = (bootId: string, ...pids: readonly number[]): HostState => ({
    ...{ hostname: 'w', bootId, bootTimeMs: 0, nowMs: 0, processes: [] },
    kubelets: pids.map((pid) => ({ pid, startTicks: pid, startedAtMs: 0, arguments: [] })),
  });
  const restart = (before: HostState) =>
    ({
      verb: 'restartKubelet',
      object: 'Kubelet worker-1',
      after: 'sha256:flags',
      before: kubeletDigest(before),
    }) as const;
  const portsOn = (now: HostState): ClusterPorts =>
    ({ processes: { host: () => Promise.resolve(now) } }) as unknown as ClusterPorts;

  it.each([
    ['the old kubelet runs', host('a', 7), host('a', 7), 'notApplied'],
    ['the old kubelet is gone, and no new one runs yet', host('a', 7), host('a'), 'applied'],
    ['another kubelet runs', host('a', 7), host('a', 8), 'applied'],
    ['the node was rebooted since', host('a', 7), host('b', 7), 'applied'],
    ['no kubelet ran, and none runs now', host('a'), host('a'), 'notApplied'],
    ['no kubelet ran, and one runs now', host('a'), host('a', 8), 'applied'],
  ] as const)(
    'the node shows whether a lost restart took effect: %s',
    async (_name, before, now, expected) => {
      expect(await findEffect(portsOn(now), restart(before), {})).toBe(expected);
    },
  );
});

describe('whether a process was ended by a request whose response was lost', () => {
  const host = (
    bootId: string,
    ...found: readonly (readonly [pid: number, startTicks: number | null])[]
  ): HostState => ({
    ...{ hostname: 'cp-1', bootId, bootTimeMs: 0, nowMs: 0, kubelets: [] },
    processes: found.map(([pid, startTicks]) => ({
      ...{ pid, startTicks, manager: 'ccm', startedAtMs: 0, arguments: [], paused: true },
    })),
  });
  const end = {
    verb: 'endProcess',
    object: 'Process cp-1/812',
    before: processDigest('a', { pid: 812, startTicks: 70 }),
    after: '',
  } as const;

  it.each([
    ['it is still there', host('a', [7, 1], [812, 70]), 'notApplied'],
    ['it is gone', host('a', [7, 1]), 'applied'],
    ['another process has its id', host('a', [812, 71]), 'applied'],
    ['the node was rebooted since', host('b', [812, 70]), 'applied'],
    ['its node no longer reports starts', host('a', [812, null]), 'notApplied'],
  ] as const)(
    'the node shows whether a lost end of a process took effect: %s',
    async (_name, now, expected) => {
      const nodes: string[] = [];
      const host = (node: string): Promise<HostState> => {
        nodes.push(node);
        return Promise.resolve(now);
      };
      const processes = { host };
      const ports = { processes } as unknown as ClusterPorts;
      expect(await findEffect(ports, end, {})).toBe(expected);
      expect(nodes).toEqual(['cp-1']);
    },
  );
});
