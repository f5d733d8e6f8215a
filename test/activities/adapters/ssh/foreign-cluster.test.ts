import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { failureTypeOf } from '../../../../activities/failures.js';
import type { KubernetesApi } from '../../../../activities/ports.js';
import type { SshAccess } from '../../../../config/loaded-inventories.js';
import { createAuthority } from '../../../../testbed/base/auth/certificates.js';
import { authoritiesOf } from '../../../../activities/adapters/kubernetes/cluster-identity.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode, type OverSsh } from './over-ssh.js';

/** The API of a hostile cluster: each of its Nodes has the address of the other cluster's. */
const LYING = {
  get: () =>
    Promise.resolve({
      object: { status: { addresses: [{ type: 'InternalIP', address: '127.0.0.1' }] } },
    }),
} as unknown as KubernetesApi;

const HOSTILE = {
  name: 'hostile',
  uid: 'uid-hostile',
  authorities: authoritiesOf(createAuthority('hostile').certificatePem),
};

const STATE = '/var/lib/ccm-migrate';
const FILE = '/etc/kubernetes/files/foreign';

onSshNode(
  'a cluster that names another one’s node as its own',
  {},
  ({ node, identity, openAs }) => {
    const on = (shell: string): string => node().onNode(shell).trim();
    const sessions = (): number => node().log().split('Accepted').length - 1;

    /** One login and one known_hosts file for all clusters, and no address in the inventory. */
    const shared = async (lines: readonly string[]): Promise<Partial<SshAccess>> => {
      const path = join(node().folder, `known_hosts-${String(lines.join().length)}`);
      await writeFile(path, `${lines.join('\n')}\n`);
      return { hosts: {}, knownHosts: path };
    };
    const asHostile = async (lines: readonly string[]): Promise<OverSsh> =>
      openAs(HOSTILE, await shared(lines), { api: LYING });

    const stateThere = (): string =>
      on(`cat ${STATE}/epoch ${STATE}/cluster 2>/dev/null; ls ${STATE}`);

    it('a foreign cluster gets no session by an address or Node name that both clusters have', async () => {
      const { hostKey, port } = node();
      const before = sessions();
      const { files } = await asHostile([
        `[127.0.0.1]:${String(port)} ${hostKey}`,
        `${NODE},[${NODE}]:${String(port)} ${hostKey}`,
        `${NODE}@own ${hostKey}`,
      ]);
      const write = files.write(NODE, FILE, 'x', { expect: 'absent', epoch: 99 });
      const error = await failureOf(write);
      expect(failureTypeOf(error)).toBe('Unauthorized');
      expect(String(error)).toContain(`for ${NODE}@hostile, so nothing was sent`);
      expect(sessions()).toBe(before);
    });

    it('a foreign cluster changes nothing where even the pins are wrong: the node knows its own authority', async () => {
      const { hostKey } = node();
      const { files } = await asHostile([`${NODE}@hostile ${hostKey}`]);
      for (const attempt of [
        () => files.write(NODE, FILE, 'x', { expect: 'absent', epoch: 99 }),
        () => files.read(NODE, '/etc/kubernetes/pki/ca.crt'),
      ]) {
        const error = await failureOf(attempt());
        expect(failureTypeOf(error)).toBe('ForeignNode');
        expect(String(error)).toContain('does not belong to cluster hostile');
        expect(String(error)).toContain(`is ${identity().authorities.join()}, and not`);
        expect(String(error)).toContain('CCM4030');
      }
      expect(on(`ls ${STATE} ${FILE} 2>/dev/null || true`)).toBe('');
    });

    it('a foreign cluster of the same authority changes nothing once the node was written to', async () => {
      const known = await shared([
        `${NODE}@own ${node().hostKey}`,
        `${NODE}@twin ${node().hostKey}`,
      ]);
      const own = openAs({}, known, { api: LYING });
      await own.files.write(NODE, FILE, 'own', { expect: 'absent', epoch: 1 });
      const before = stateThere();
      const twin = openAs({ name: 'twin', uid: 'uid-twin' }, known, { api: LYING });
      const error = await failureOf(twin.files.remove(NODE, FILE, { expect: 'absent', epoch: 99 }));
      expect(failureTypeOf(error)).toBe('ForeignNode');
      expect(String(error)).toContain('it is a node of uid-own');
      expect(String(error)).toContain('remove /var/lib/ccm-migrate there');
      expect(stateThere()).toBe(before);
      expect(on(`cat ${FILE}`)).toBe('own');
    });

    it('a foreign cluster wins no race for a node that was never written to', async () => {
      on(`rm -rf ${STATE} ${FILE}`);
      const known = await shared([
        `${NODE}@own ${node().hostKey}`,
        `${NODE}@rival ${node().hostKey}`,
      ]);
      const write = (uid: string, name: string): Promise<string> =>
        openAs({ name, uid }, known, { api: LYING })
          .files.write(NODE, `${FILE}-${uid}`, uid, { expect: 'absent', epoch: 1 })
          .then(
            () => uid,
            (error: unknown) => failureTypeOf(error) ?? 'unknown',
          );
      const ends = await Promise.all([write('uid-own', 'own'), write('uid-rival', 'rival')]);
      const [winner = ''] = ends.filter((end) => end.startsWith('uid-'));
      expect([...ends].sort()).toEqual(['ForeignNode', winner].sort());
      expect(on(`cat ${STATE}/cluster; ls ${FILE}-*`)).toBe(
        `${winner} ${identity().authorities.join()}${FILE}-${winner}`,
      );
      on(`rm -rf ${STATE} ${FILE}-*`);
    });

    it('a foreign node is distinguished from a node that was set up again, and from one without an authority', async () => {
      const own = openAs({});
      await own.files.write(NODE, FILE, 'one', { expect: 'absent', epoch: 1 });
      on(`rm -rf ${STATE} ${FILE}`);
      await own.files.write(NODE, FILE, 'two', { expect: 'absent', epoch: 1 });
      on('mv /etc/kubernetes/pki/ca.crt /etc/kubernetes/pki/away');
      try {
        const error = await failureOf(own.files.read(NODE, FILE));
        expect(failureTypeOf(error)).toBe('ForeignNode');
        expect(String(error)).toContain('is not to be read');
      } finally {
        on('mv /etc/kubernetes/pki/away /etc/kubernetes/pki/ca.crt');
      }
    });

    it('a node accepts rotated authorities, in a file with line ends of another system', async () => {
      const [old = ''] = identity().authorities;
      const next = createAuthority('next').certificatePem;
      const [fresh = ''] = authoritiesOf(next);
      const ca = '/etc/kubernetes/pki/ca.crt';
      const guard = { expect: 'absent', epoch: 1 };
      on(`cp ${ca} ${ca}.old; rm -rf ${STATE}`);
      await openAs({}).files.write(NODE, `${FILE}-1`, 'x', guard);
      await writeFile(
        join(node().folder, 'both.crt'),
        (node().clusterCa + next).replaceAll('\n', '\r\n'),
      );
      on(`cp ${join(node().folder, 'both.crt')} ${ca}`);
      await openAs({ authorities: [old, fresh] }).files.write(NODE, `${FILE}-2`, 'x', guard);
      expect(on(`cat ${STATE}/cluster`)).toBe(`uid-own ${old} ${fresh}`);
      await openAs({ authorities: [fresh] }).files.write(NODE, `${FILE}-3`, 'x', guard);
      expect(on(`cat ${STATE}/cluster`)).toBe(`uid-own ${fresh}`);
      const error = await failureOf(openAs({ authorities: [old] }).files.read(NODE, FILE));
      expect(failureTypeOf(error)).toBe('ForeignNode');
      on(`mv ${ca}.old ${ca}; rm -rf ${STATE} ${FILE}*`);
    });

    it('keys are pinned as OpenSSH does under a HostKeyAlias', async () => {
      const { folder, port, hostKey } = node();
      const { knownHosts = '' } = await shared([`${NODE}@own ${hostKey}`]);
      const ssh = (alias: string): string =>
        execFileSync(
          'ssh',
          [
            ...['-F', 'none', '-i', join(folder, 'user'), '-p', String(port)],
            ...['-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=yes'],
            ...['-o', `UserKnownHostsFile=${knownHosts}`, '-o', 'GlobalKnownHostsFile=none'],
            ...['-o', `HostKeyAlias=${alias}`, 'root@127.0.0.1', 'echo in'],
          ],
          { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
        ).trim();
      expect(ssh(`${NODE}@own`)).toBe('in');
      expect(() => ssh(`${NODE}@hostile`)).toThrow();
    });
  },
);
