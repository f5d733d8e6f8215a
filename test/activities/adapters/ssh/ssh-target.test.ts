import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { sshTarget, type NodeOfCluster } from '../../../../activities/adapters/ssh/ssh-target.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import type { KubernetesApi } from '../../../../activities/ports.js';
import type { SshAccess } from '../../../../config/loaded-inventories.js';
import { failureOf } from '../http/tls-stub.js';

const FINGERPRINT = `SHA256:${'A'.repeat(43)}`;
const ACCESS: SshAccess = { kind: 'ssh', user: 'root', port: 22, sudo: false, hosts: {} };

/** An API server that knows one Node, or none. */
function knowing(addresses: readonly object[] | null): KubernetesApi {
  const get = (): Promise<unknown> =>
    Promise.resolve(addresses === null ? null : { object: { status: { addresses } } });
  return { get } as unknown as KubernetesApi;
}

const at = (node: string): NodeOfCluster => ({ cluster: 'one', node });

const HOSTNAME = { type: 'Hostname', address: 'cp-1' };
const NODE = knowing([HOSTNAME, { type: 'InternalIP', address: '10.77.1.11' }]);

describe('where a node is reached', () => {
  it('a node is reached at its InternalIP, on the port of the cluster', async () => {
    const { host, port, pins } = await sshTarget(at('cp-1'), { ...ACCESS, port: 2222 }, NODE);
    expect([host, port, pins.fingerprints.size]).toEqual(['10.77.1.11', 2222, 0]);
  });

  it('a node is reached at the address in the inventory, which applies to this node only', async () => {
    const entry = { address: 'bastion.example.net', port: 2201, hostKeys: [FINGERPRINT] };
    const access = { ...ACCESS, hosts: { 'cp-1': entry } };
    const one = await sshTarget(at('cp-1'), access, knowing(null));
    expect([one.host, one.port, [...one.pins.fingerprints]]).toEqual([
      'bastion.example.net',
      2201,
      [FINGERPRINT],
    ]);
    const other = await sshTarget(at('cp-2'), access, NODE);
    expect([other.host, other.port, other.pins.fingerprints.size]).toEqual(['10.77.1.11', 22, 0]);
  });

  it.each([
    ['an unknown node', 'cp-9', knowing(null), 'Unreachable'],
    ['a node without an InternalIP', 'cp-1', knowing([HOSTNAME]), 'Unreachable'],
    ['a name that would reach elsewhere', '../cp-1', NODE, 'InvalidInput'],
    ['a member that every object has', 'constructor', knowing(null), 'Unreachable'],
  ])('no address is found for %s', async (_case, node, api, type) => {
    expect(failureTypeOf(await failureOf(sshTarget(at(node), ACCESS, api)))).toBe(type);
  });

  it('a host key is found only by NODE@CLUSTER, never by what a cluster reports about its nodes', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-known-hosts-'));
    const knownHosts = join(folder, 'known_hosts');
    const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBpdvqlMHra2H5jBA+a76p0P82bUKDgF+M6CaRNMY+s/';
    const names = ['10.77.1.11', '[10.77.1.11]:22', 'cp-1', 'cp-1.one', 'cp-1@two'];
    const pinsWith = async (all: readonly string[]): Promise<number> => {
      await writeFile(knownHosts, all.map((name) => `${name} ${key}\n`).join(''));
      const { pins } = await sshTarget(at('cp-1'), { ...ACCESS, knownHosts }, NODE);
      return pins.fingerprints.size;
    };
    try {
      expect(await pinsWith(names)).toBe(0);
      expect(await pinsWith([...names, 'cp-1@one'])).toBe(1);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('the known_hosts file must exist if it is named', async () => {
    const error = await failureOf(
      sshTarget(at('cp-1'), { ...ACCESS, knownHosts: '/nowhere' }, NODE),
    );
    expect(failureTypeOf(error)).toBe('InvalidInput');
    expect(String(error)).toContain('nodeAccess.knownHosts /nowhere cannot be read (ENOENT)');
  });
});
