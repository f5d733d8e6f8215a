import { describe, expect, it } from '@jest/globals';
import { findEffect, kubeletDigest } from '../../../activities/fence/find-effect.js';
import { digestObject, RELEASE_NOTE } from '../../../activities/fence/object-digest.js';
import type { LeaseObject } from '../../../activities/observe/lease-reading.js';
import type { ClusterPorts, HostState } from '../../../activities/ports.js';

const lease = (holderIdentity: string, released: string): LeaseObject => ({
  kind: 'Lease',
  metadata: { name: 'kcm', annotations: { [RELEASE_NOTE]: released } },
  spec: { holderIdentity },
});

/** Ports on which only this one Lease can be read. */
function portsWith(object: LeaseObject | null): ClusterPorts {
  const get = () => Promise.resolve(object === null ? null : { object, serverTimeMs: 0 });

  return { api: { get } } as unknown as ClusterPorts;
}

describe('whether a Lease was released by a request whose answer nobody heard', () => {
  const release = {
    verb: 'patch',
    object: 'Lease kube-system/kcm',
    before: digestObject(lease('cp-1_dead', 'run-1 3 40')),
    after: digestObject(lease('', 'run-1 4 77')),
  } as const;

  it.each([
    ['it is empty, with our note', lease('', 'run-1 4 77'), 'applied'],
    ['the standby took it after our release', lease('cp-2_new', 'run-1 4 77'), 'applied'],
    ['nobody touched it', lease('cp-1_dead', 'run-1 3 40'), 'notApplied'],
    ['the standby waited until it expired', lease('cp-2_new', 'run-1 3 40'), 'changed'],
    ['its holder let it go by itself', lease('', 'run-1 3 40'), 'changed'],
    ['it is gone', null, 'changed'],
  ] as const)('%s', async (_name, found, expected) => {
    expect(await findEffect(portsWith(found), release, {})).toBe(expected);
  });
});

describe('whether a kubelet was restarted by a request whose answer nobody heard', () => {
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
    ['the kubelet of before runs', host('a', 7), host('a', 7), 'notApplied'],
    ['it is gone, and the new one is still to come', host('a', 7), host('a'), 'applied'],
    ['another one runs', host('a', 7), host('a', 8), 'applied'],
    ['the node was booted since', host('a', 7), host('b', 7), 'applied'],
    ['none ran, and none does', host('a'), host('a'), 'notApplied'],
    ['none ran, and one does', host('a'), host('a', 8), 'applied'],
  ] as const)('%s', async (_name, before, now, expected) => {
    expect(await findEffect(portsOn(now), restart(before), {})).toBe(expected);
  });
});
