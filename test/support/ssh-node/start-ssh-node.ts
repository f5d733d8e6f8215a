import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SshAccess } from '../../../config/loaded-inventories.js';
import {
  createAuthority,
  type CertificateAuthority,
} from '../../../testbed/base/auth/certificates.js';
import { eventually } from '../../contract/eventually.js';
import { NAMESPACES } from './why-no-sshd.js';

export interface SshNodeOptions {
  /** More lines of sshd_config. */
  readonly config?: readonly string[];
  /** Shell that starts processes on the node; `$folder` is its folder. */
  readonly start?: string;
  /** Shell that runs before sshd, as root of the node. */
  readonly prepare?: string;
  /** Authority of the node's cluster, whose client certificates its manager accepts, too; by default its own. */
  readonly clusterCa?: string;
}

/** A separate machine as far as SSH can observe: namespaces, own /etc/kubernetes, Debian's sshd on a loopback port. */
export interface SshNode {
  readonly folder: string;
  readonly port: number;
  /** Port that the node's manager may listen on. */
  readonly managerPort: number;
  readonly hostKey: string;
  /** Signs client certificates that the manager stub accepts. */
  readonly authority: CertificateAuthority;
  /** As kubeadm leaves it in /etc/kubernetes/pki/ca.crt, PEM. */
  readonly clusterCa: string;
  /** Inventory entry for one node of that name. */
  access(node: string, change?: Partial<SshAccess>): SshAccess;
  /** Runs shell on the node, beside SSH. */
  onNode(shell: string): string;
  /** Lines of sshd's log so far. */
  log(): string;
  stop(): Promise<void>;
}

const INIT = fileURLToPath(new URL('./init.sh', import.meta.url));

export const MANAGER_STUB = fileURLToPath(new URL('./manager-stub.mjs', import.meta.url));

export const MANAGER_TOKEN = 'canary-manager-token-51c2';

export async function startSshNode(options: SshNodeOptions = {}): Promise<SshNode> {
  const folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-sshd-'));
  await chmod(folder, 0o755);
  await mkdir(join(folder, 'over'));
  const [port, managerPort] = await Promise.all([freePort(), freePort()]);
  const authority = await writeKeys(folder, options.clusterCa);
  await writeFile(join(folder, 'sshd_config'), sshdConfig(folder, port, options.config));
  await writeShell(join(folder, 'prepare.sh'), options.prepare ?? '');
  await writeShell(join(folder, 'start.sh'), `manager_port=${managerPort}\n${options.start ?? ''}`);
  const child = spawn(
    'setpriv',
    ['--pdeathsig', 'KILL', 'unshare', ...NAMESPACES, 'bash', INIT, folder, 'cp-1.internal'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await eventually(20_000, async () => {
    if (child.exitCode !== null) throw new Error('the node did not start');
    return existsSync(join(folder, 'ready')) && isListening(folder) ? true : null;
  });
  const hostKey = await readFile(join(folder, 'host.pub'), 'utf8');
  return {
    folder,
    port,
    managerPort,
    hostKey: hostKey.trim(),
    authority,
    clusterCa: options.clusterCa ?? authority.certificatePem,
    access: (node, change = {}) => ({
      kind: 'ssh',
      user: 'root',
      port,
      sudo: false,
      identityFile: join(folder, 'user'),
      hosts: { [node]: { address: '127.0.0.1', hostKeys: [hostKey.trim()] } },
      ...change,
    }),
    onNode: (shell) => onNode(child, shell),
    log: () => readFileSync(join(folder, 'sshd.log'), 'utf8'),
    stop: async () => {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function writeKeys(folder: string, clusterCa?: string): Promise<CertificateAuthority> {
  for (const name of ['host', 'user', 'stranger']) keygen(join(folder, name), '-N', '');
  const key = await readFile(join(folder, 'user.pub'), 'utf8');
  await writeFile(join(folder, 'authorized_keys'), key);
  const authority = createAuthority('managers');
  await writeFile(join(folder, 'client-ca.pem'), clusterCa ?? authority.certificatePem);
  const own = createAuthority('self-made').issueServer(['localhost']);
  await writeFile(join(folder, 'tls.pem'), own.privateKeyPem + own.certificatePem);
  return authority;
}

export function keygen(path: string, ...words: readonly string[]): void {
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-f', path, ...words]);
}

function sshdConfig(folder: string, port: number, more: readonly string[] = []): string {
  return [
    ...more,
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${folder}/host`,
    `AuthorizedKeysFile ${folder}/authorized_keys`,
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'StrictModes no',
    'UsePAM no',
    'PidFile none',
    'MaxStartups 100',
    '',
  ].join('\n');
}

async function writeShell(path: string, text: string): Promise<void> {
  await writeFile(path, `#!/bin/bash\nfolder=$(dirname "\${BASH_SOURCE[0]}")\n${text}\n`);
  await chmod(path, 0o755);
}

/** False too while sshd has not created its log yet. */
function isListening(folder: string): boolean {
  const log = join(folder, 'sshd.log');
  return existsSync(log) && readFileSync(log, 'utf8').includes('Server listening');
}

function onNode({ pid }: ChildProcess, shell: string): string {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  const enter = ['--target', children, '--mount', '--pid', '--uts', 'sh', '-c', shell];
  return execFileSync('nsenter', enter, { encoding: 'utf8' });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
