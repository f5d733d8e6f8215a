import { describe, expect, it } from '@jest/globals';
import { failureTypeOf } from '../../../../activities/failures.js';
import { digestText } from '../../../../domain/digest.js';
import { eventually } from '../../../contract/eventually.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode, overSsh } from './over-ssh.js';

const FOLDER = '/etc/kubernetes/loss';
const NEW = { expect: 'absent', epoch: 1 };

onSshNode('node access over SSH', {}, ({ node, open }) => {
  const on = (shell: string): string => node().onNode(shell).trim();
  /** Ends every session of the node's sshd, not the listener. */
  const cut = (): void => {
    on(`for p in $(pgrep -f '^sshd: root@'); do kill -KILL $p; done; true`);
  };

  it('reconnects after the connection was cut', async () => {
    const { processes } = open();
    const { bootId } = await processes.host(NODE);
    cut();
    expect((await processes.host(NODE)).bootId).toBe(bootId);
  });

  it('reports an unknown outcome when the response is lost, since the change may exist', async () => {
    const { files } = open();
    await files.write(NODE, `${FOLDER}/first`, 'x', NEW);
    on(
      '(exec 9>>/var/lib/ccm-migrate/lock; flock 9; touch /run/held; while [ -e /run/held ]; do sleep 0.02; done) >/dev/null 2>&1 &',
    );
    await eventually(10_000, async () => (on('ls /run').includes('held') ? true : null));
    const lost = failureOf(files.write(NODE, `${FOLDER}/lost`, 'late', NEW));
    await eventually(10_000, async () => (on('pgrep -x flock || true') === '' ? null : true));
    cut();
    const error = await lost;
    expect(failureTypeOf(error)).toBe('Unavailable');
    on('rm /run/held');
    const found = await eventually(10_000, () => files.read(NODE, `${FOLDER}/lost`));
    expect(found.hash).toBe(digestText('late'));
  });

  it('waits a bounded time for the lock, and then has certainly changed nothing', async () => {
    const { files } = open();
    await files.write(NODE, `${FOLDER}/second`, 'x', NEW);
    on(
      '(exec 9>>/var/lib/ccm-migrate/lock; flock 9; touch /run/held; while [ -e /run/held ]; do sleep 0.02; done) >/dev/null 2>&1 &',
    );
    await eventually(10_000, async () => (on('ls /run').includes('held') ? true : null));
    const error = await failureOf(
      files.write(NODE, `${FOLDER}/never`, 'x', NEW, { timeoutMs: 30_000 }),
    );
    expect(failureTypeOf(error)).toBe('Throttled');
    on('rm /run/held');
    expect(await files.read(NODE, `${FOLDER}/never`)).toBeNull();
  });

  it('gives up on a server that accepts and sends nothing', async () => {
    on('kill -STOP $(pgrep -o -x sshd)');
    try {
      const error = await failureOf(open().processes.host(NODE, { timeoutMs: 300 }));
      expect(failureTypeOf(error)).toBe('Timeout');
    } finally {
      on('kill -CONT $(pgrep -o -x sshd)');
    }
  });

  it('gives a cancelled caller its own reason, and continues for others', async () => {
    const { processes } = open();
    const controller = new AbortController();
    const cancelled = failureOf(processes.host(NODE, { signal: controller.signal }));
    const patient = processes.host(NODE);
    controller.abort(new Error('enough'));
    expect(String(await cancelled)).toContain('enough');
    expect((await patient).hostname).toBe('cp-1.internal');
  });

  it('rejects a response that is too long', async () => {
    on(
      `mkdir -p ${FOLDER}; for i in 1 2 3; do head -c 1000000 /dev/zero | tr '\\0' x >${FOLDER}/big-$i; done`,
    );
    const files = [1, 2, 3].map((one) => `${FOLDER}/big-${one}`);
    const { processes } = open();
    const error = await failureOf(processes.snapshot(NODE, { files, directories: [] }));
    expect(failureTypeOf(error)).toBe('Unavailable');
    expect(String(error)).toContain('longer than 1 MiB');
    expect((await processes.host(NODE)).hostname).toBe('cp-1.internal');
  });
});

onSshNode('a server with few channels', { config: ['MaxSessions 2'] }, ({ open }) => {
  it('serves many callers one after the other', async () => {
    const { processes } = open();
    const all = await Promise.all(
      Array.from({ length: 12 }, () => processes.host(NODE, { timeoutMs: 60_000 })),
    );
    expect(new Set(all.map(({ bootId }) => bootId)).size).toBe(1);
  });
});

describe('a host without a listener', () => {
  it('a host where nothing listens is a node that cannot be reached', async () => {
    const fingerprint = `SHA256:${'A'.repeat(43)}`;
    const access = {
      ...{ kind: 'ssh' as const, user: 'root', port: 1, sudo: false, agent: '/nowhere' },
      hosts: { [NODE]: { address: '127.0.0.1', hostKeys: [fingerprint] } },
    };
    const identity = { name: 'own', uid: 'uid-own', authorities: ['00'] };
    const { processes, pool } = overSsh(access, identity);
    expect(failureTypeOf(await failureOf(processes.host(NODE)))).toBe('Unreachable');
    await pool.close();
  });
});
