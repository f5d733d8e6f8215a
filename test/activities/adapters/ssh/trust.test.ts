import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { failureTypeOf } from '../../../../activities/failures.js';
import { eventually } from '../../../contract/eventually.js';
import { keygen } from '../../../support/ssh-node/start-ssh-node.js';
import { failureOf } from '../http/tls-stub.js';
import { NODE, onSshNode } from './over-ssh.js';

const HOSTNAME = 'cp-1.internal';

onSshNode('the SSH adapter', {}, ({ node, open }) => {
  const fingerprint = (name: string): string =>
    execFileSync('ssh-keygen', ['-l', '-f', join(node().folder, name)], {
      encoding: 'utf8',
    }).split(' ')[1] ?? '';

  const knownHosts = async (text: string): Promise<string> => {
    const path = join(node().folder, `known_hosts-${text.length}`);
    await writeFile(path, text);
    return path;
  };

  it('accepts a host by a pinned fingerprint, or by a known_hosts line', async () => {
    const hosts = { [NODE]: { address: '127.0.0.1', hostKeys: [fingerprint('host.pub')] } };
    expect((await open({ hosts }).processes.host(NODE)).hostname).toBe(HOSTNAME);
    const path = await knownHosts(`${NODE}@own ${node().hostKey}\n`);
    const known = open({ hosts: { [NODE]: { address: '127.0.0.1' } }, knownHosts: path });
    expect((await known.processes.host(NODE)).hostname).toBe(HOSTNAME);
  });

  it('sends nothing to a host with another key, and reports the key it received', async () => {
    const hosts = { [NODE]: { address: '127.0.0.1', hostKeys: [fingerprint('stranger.pub')] } };
    const before = node().log();
    const error = await failureOf(open({ hosts }).files.read(NODE, '/etc/hostname'));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain(`node cp-1 (127.0.0.1 port ${node().port}) showed host key`);
    expect(String(error)).toContain(fingerprint('host.pub'));
    expect(String(error)).toContain('CCM4025');
    expect(node().log().slice(before.length)).not.toContain('Accepted');
  });

  it('does not even connect to a host without a known key', async () => {
    const path = await knownHosts(`cp-2@own ${node().hostKey}\n`);
    const unknown = open({ hosts: { [NODE]: { address: '127.0.0.1' } }, knownHosts: path });
    const error = await failureOf(unknown.processes.host(NODE));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain(`its host key is not in ${path} for ${NODE}@own`);
  });

  it('names user and node when the key is not accepted', async () => {
    const stranger = open({ identityFile: join(node().folder, 'stranger') });
    const error = await failureOf(stranger.processes.host(NODE));
    expect(failureTypeOf(error)).toBe('Unauthorized');
    expect(String(error)).toContain('rejects user root with this key');
    expect(String(error)).toContain('CCM4026');
  });

  it('refuses a private key that others can read', async () => {
    const path = join(node().folder, 'readable');
    const text = await readFile(join(node().folder, 'user'), 'utf8');
    await writeFile(path, text, { mode: 0o640 });
    const error = await failureOf(open({ identityFile: path }).processes.host(NODE));
    expect(failureTypeOf(error)).toBe('InvalidInput');
    expect(String(error)).toContain(`other users can read it (mode 0640): chmod 600 ${path}`);
    await chmod(path, 0o600);
    expect((await open({ identityFile: path }).processes.host(NODE)).hostname).toBe(HOSTNAME);
  });

  it('says what to do about a key with a passphrase, and reveals nothing of the key', async () => {
    const path = join(node().folder, 'locked');
    keygen(path, '-N', 'canary-passphrase');
    const error = await failureOf(open({ identityFile: path }).processes.host(NODE));
    expect(failureTypeOf(error)).toBe('InvalidInput');
    expect(String(error)).toContain('set its socket as nodeAccess.agent');
    const secret = (await readFile(path, 'utf8')).split('\n')[1] ?? '';
    expect(String(error)).not.toContain(secret);
  });

  it('logs in with an agent that the inventory names', async () => {
    const socket = join(node().folder, 'agent.sock');
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
    const { identityFile: _file, ...rest } = node().access(NODE);
    try {
      const env = { ...process.env, SSH_AUTH_SOCK: socket };
      const add = (): string =>
        execFileSync('ssh-add', ['-q', join(node().folder, 'user')], { env, encoding: 'utf8' });
      await eventually(10_000, async () => {
        try {
          return add();
        } catch {
          return null;
        }
      });
      const withAgent = open({ ...rest, identityFile: undefined, agent: socket });
      expect((await withAgent.processes.host(NODE)).hostname).toBe(HOSTNAME);
    } finally {
      agent.kill();
      await once(agent, 'exit');
    }
    const gone = open({ ...rest, identityFile: undefined, agent: socket });
    expect(failureTypeOf(await failureOf(gone.processes.host(NODE)))).toBe('Unauthorized');
  });

  it('requires root: other users would not see every process', async () => {
    const error = await failureOf(open({ user: 'operator' }).processes.host(NODE));
    expect(failureTypeOf(error)).toBe('Forbidden');
    expect(String(error)).toContain('operator is not root');
  });

  it('works through sudo where a rule permits it, and says so where none does', async () => {
    const allowed = open({ user: 'sudoer', sudo: true });
    await allowed.files.write(NODE, '/etc/kubernetes/by-sudo', 'x', { expect: 'absent', epoch: 1 });
    expect(node().onNode('stat -c %U:%a /etc/kubernetes/by-sudo').trim()).toBe('root:600');
    const error = await failureOf(open({ user: 'operator', sudo: true }).processes.host(NODE));
    expect(failureTypeOf(error)).toBe('Forbidden');
    expect(String(error)).toContain('sudo: a password is required');
    expect(String(error)).toContain('docs/node-access-ssh.md');
  });
});
