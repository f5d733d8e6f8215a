import { describe, expect, it } from '@jest/globals';
import { findEffect } from '../../../activities/fence/find-effect.js';
import { digestObject, RELEASE_NOTE } from '../../../activities/fence/object-digest.js';
import type { LeaseObject } from '../../../activities/observe/lease-reading.js';
import type { ClusterPorts } from '../../../activities/ports.js';

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
