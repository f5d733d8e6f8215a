import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import type { ManagerCredential } from '../../../../activities/adapters/ssh/manager-metrics.js';
import { Secret } from '../../../../activities/adapters/credentials/secret.js';
import { failureTypeOf } from '../../../../activities/failures.js';
import { eventually } from '../../../contract/eventually.js';
import { startManager } from '../../../support/ssh-node/manager-on-node.js';
import { MANAGER_TOKEN, type SshNode } from '../../../support/ssh-node/start-ssh-node.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode, type OverSsh } from './over-ssh.js';

const NOTHING = { files: [], directories: [] };

function token(text: string): ManagerCredential {
  return { certificate: null, bearer: () => Promise.resolve(new Secret(text)) };
}

function certificate({ authority }: SshNode): ManagerCredential {
  const { certificatePem, privateKeyPem } = authority.issueClient('admin', ['ops'], '');
  return {
    certificate: { pem: certificatePem, key: new Secret(privateKeyPem) },
    bearer: () => Promise.resolve(null),
  };
}

/** The manager takes a moment until it listens, or has dropped root. */
function listening({ processes }: OverSsh): Promise<string> {
  return eventually(20_000, () => processes.metrics(NODE, 'kcm'));
}

const shown = (node: SshNode): string => readFileSync(join(node.folder, 'manager.log'), 'utf8');

onSshNode('metrics of a manager of root', { start: startManager() }, ({ node, open }) => {
  it.each([
    ['a client certificate', () => certificate(node())],
    ['a token', () => token(MANAGER_TOKEN)],
  ])('metrics are read with %s', async (_case, credential) => {
    const opened = open({}, credential());
    expect(await listening(opened)).toContain('go_goroutines 7');
    const { elections } = await opened.processes.snapshot(NODE, NOTHING);
    expect(elections.kcm?.split('\n').at(-1)).toBe(
      'leader_election_master_status{name="kube-controller-manager"} 1',
    );
    expect(elections).toMatchObject({ ccm: null });
    expect(elections.kcm).not.toContain('go_goroutines');
  });

  it.each([
    [
      'an anonymous user',
      'Unauthorized',
      { certificate: null, bearer: () => Promise.resolve(null) },
    ],
    ['a client without the right', 'Forbidden', token('another-canary')],
  ])(
    'metrics are refused to %s, which hides nothing else of the node',
    async (_case, type, credential) => {
      await listening(open({}, token(MANAGER_TOKEN)));
      const { processes } = open({}, credential);
      const error = await failureOf(processes.metrics(NODE, 'kcm'));
      expect(failureTypeOf(error)).toBe(type);
      expect(String(error)).not.toContain('another-canary');
      const { host, elections } = await processes.snapshot(NODE, NOTHING);
      expect(host.processes).toHaveLength(1);
      expect(elections.kcm).toBeNull();
    },
  );

  it('a read does not wait for the metrics of a stopped manager', async () => {
    const { processes } = open({}, token(MANAGER_TOKEN));
    const [kcm] = (await processes.host(NODE)).processes;
    node().onNode(`kill -STOP ${kcm?.pid ?? 0}`);
    const { elections, host } = await processes.snapshot(NODE, NOTHING);
    expect(host.processes).toMatchObject([{ paused: true }]);
    expect(elections.kcm).toBeNull();
    const late = processes.metrics(NODE, 'kcm', { timeoutMs: 1500 });
    expect(failureTypeOf(await failureOf(late))).toBe('Timeout');
  });
});

onSshNode(
  'a manager that is stopped while it is read',
  { start: startManager('kube-controller-manager', '--stops=yes') },
  ({ open }) => {
    it('a manager that a signal stops after the host was read is told as stopped by the same read', async () => {
      const { processes } = open({}, token(MANAGER_TOKEN));
      const { host, elections } = await eventually(20_000, async () => {
        const seen = await processes.snapshot(NODE, NOTHING);
        return seen.host.processes.some(({ paused }) => paused) ? seen : null;
      });
      expect(host.processes).toMatchObject([{ manager: 'kcm', paused: true }]);
      expect(elections.kcm).toBeNull();
    });
  },
);

onSshNode(
  'a manager that never stops answering',
  { start: startManager('kube-controller-manager', '--endless=yes') },
  ({ open }) => {
    it('a manager that never ends its response holds a channel no longer than its reader', async () => {
      const { processes } = open({}, token(MANAGER_TOKEN));
      const outcome = (): Promise<string | null> =>
        processes.metrics(NODE, 'kcm').then(
          () => null,
          (error: unknown) => failureTypeOf(error),
        );
      const refused = await eventually(20_000, outcome);
      // More often than one connection has channels.
      for (let times = 0; times < 10; times += 1) expect(await outcome()).toBe(refused);
      expect((await processes.host(NODE)).processes).toHaveLength(1);
    });
  },
);

onSshNode(
  'a listener that is not root’s',
  { start: startManager('kube-controller-manager', '--user=65534') },
  (environment) => {
    it('a manager receives a certificate and no token', async () => {
      const { node, open } = environment;
      await listening(open({}, certificate(node())));
      const error = await failureOf(open({}, token(MANAGER_TOKEN)).processes.metrics(NODE, 'kcm'));
      expect(failureTypeOf(error)).toBe('NotSupported');
      expect(String(error)).toContain("which must not see the kubeconfig's token");
      expect(shown(node())).toBe('');
    });
  },
);

onSshNode(
  'an sshd that forwards nothing',
  { start: startManager(), config: ['AllowTcpForwarding no'] },
  ({ open }) => {
    it('an sshd that forwards nothing is distinguished from a manager that does not listen', async () => {
      const opened = open({}, token(MANAGER_TOKEN));
      const error = await eventually(20_000, async () =>
        opened.processes.metrics(NODE, 'kcm').catch((caught: unknown) => caught),
      );
      expect(failureTypeOf(error)).toBe('NotSupported');
      expect(String(error)).toContain('AllowTcpForwarding local');
    });
  },
);
