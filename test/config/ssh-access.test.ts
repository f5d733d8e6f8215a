import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadInventory } from '../../config/loaded-inventories.js';
import { ConfigInvalid } from '../../config/problems.js';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-ssh-access-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const FINGERPRINT = `SHA256:${'A'.repeat(43)}`;

async function write(nodeAccess: string): Promise<string> {
  const path = join(folder, 'inventory.yaml');
  await writeFile(
    path,
    `apiVersion: ccm-migrate.dev/v1alpha1
kind: ClusterInventory
metadata:
  name: home
spec:
  clusters:
    - name: one
      kubeconfig: /one
      nodeAccess: ${nodeAccess}
`,
  );
  return path;
}

describe('nodeAccess over SSH', () => {
  it('writes out its defaults and makes paths absolute', async () => {
    const path = await write(
      '{ kind: ssh, user: root, identityFile: keys/id, knownHosts: known_hosts }',
    );
    const [cluster] = await loadInventory(path);
    expect(cluster?.nodeAccess).toEqual({
      kind: 'ssh',
      user: 'root',
      port: 22,
      sudo: false,
      identityFile: join(folder, 'keys/id'),
      knownHosts: join(folder, 'known_hosts'),
      hosts: {},
    });
  });

  it('accepts an agent, sudo, and settings of single nodes', async () => {
    const path = await write(
      `{ kind: ssh, user: ops, port: 2222, sudo: true, agent: /run/agent.sock,
          hosts: { cp-1: { address: cp-1.example.net, port: 22, hostKeys: ['${FINGERPRINT}', 'ssh-ed25519 AAAAC3Nz root@cp-1'] } } }`,
    );
    const [cluster] = await loadInventory(path);
    expect(cluster?.nodeAccess).toMatchObject({
      agent: '/run/agent.sock',
      hosts: { 'cp-1': { address: 'cp-1.example.net', port: 22 } },
    });
  });

  const HOSTS = `hosts: { cp-1: { hostKeys: ['${FINGERPRINT}'] } }`;
  const LOGIN = 'kind: ssh, user: root';

  it.each([
    [
      'no login',
      `{ ${LOGIN}, ${HOSTS} }`,
      'nodeAccess.identityFile: required, and missing (this, or agent) (CCM5017)',
    ],
    [
      'two logins',
      `{ ${LOGIN}, identityFile: a, agent: b, ${HOSTS} }`,
      'nodeAccess.agent: set together with identityFile: use only one of them (CCM5017)',
    ],
    [
      'no host key at all',
      `{ ${LOGIN}, identityFile: a }`,
      'nodeAccess.knownHosts: required: no host key is known (set this, or hosts.NODE.hostKeys for each node) (CCM5017)',
    ],
    [
      'one host without a key',
      `{ ${LOGIN}, identityFile: a, hosts: { cp-1: { hostKeys: ['${FINGERPRINT}'] }, cp-2: { port: 23 } } }`,
      'nodeAccess.hosts: cp-2 has no hostKeys, and there is no knownHosts: its host key is unknown (CCM5017)',
    ],
    [
      'a key in an unknown format',
      `{ ${LOGIN}, identityFile: a, hosts: { cp-1: { hostKeys: [MD5:00] } } }`,
      'must be a fingerprint (SHA256:…, as ssh-keygen -l prints it) or a public key (ssh-ed25519 AAAA…) (CCM5003)',
    ],
    [
      'a password',
      `{ ${LOGIN}, identityFile: a, password: x, ${HOSTS} }`,
      'nodeAccess.password: unknown key (CCM5002)',
    ],
    [
      'a user with an option in its name',
      `{ kind: ssh, user: -oProxyCommand, identityFile: a, ${HOSTS} }`,
      'nodeAccess.user: must be the name of a user of the nodes (CCM5003)',
    ],
  ])('refuses settings with %s', async (_case, nodeAccess, expected) => {
    const path = await write(nodeAccess);
    const error: unknown = await loadInventory(path).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(ConfigInvalid);
    expect(String(error)).toContain(expected);
  });
});
