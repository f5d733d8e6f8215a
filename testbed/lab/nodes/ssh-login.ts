import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from '../../../devserver/run-program.js';
import { PORTS } from '../network/address-plan.js';

/** How a client logs in to a node, with the host key that it must require. */
export interface SshLogin {
  readonly address: string;
  readonly port: number;
  readonly user: string;
  /** Private key of the client, mode 0600. */
  readonly keyFile: string;
  /** Public host key: `ssh-ed25519 AAAA…`. */
  readonly hostKey: string;
}

/** Creates an ed25519 key without passphrase, once; returns the public key, without comment. */
export async function ensureSshKey(file: string): Promise<string> {
  if (!existsSync(file)) {
    await mustRun('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'lab', '-f', file]);
  }
  return readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim();
}

/**
 * Host key and settings of a node's sshd. The key belongs to the machine: a reboot keeps it, and a replacement
 * machine has its own.
 */
export async function prepareSsh(input: {
  readonly nodeFolder: string;
  readonly address: string;
  readonly clientKeyFile: string;
}): Promise<SshLogin> {
  const folder = join(input.nodeFolder, 'ssh');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const hostKey = await ensureSshKey(join(folder, 'host_key'));
  const clientKey = await ensureSshKey(input.clientKeyFile);
  writeFileSync(join(folder, 'authorized_keys'), `${clientKey}\n`, { mode: 0o600 });
  writeFileSync(join(folder, 'sshd_config'), sshdConfig(input.address), { mode: 0o600 });
  const { address, clientKeyFile: keyFile } = input;
  return { address, port: PORTS.ssh, user: 'root', keyFile, hostKey };
}

function sshdConfig(address: string): string {
  return [
    `ListenAddress ${address}:${PORTS.ssh}`,
    'HostKey /run/node/ssh/host_key',
    'AuthorizedKeysFile /run/node/ssh/authorized_keys',
    'PermitRootLogin prohibit-password',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    'UsePAM no',
    'PrintMotd no',
    'MaxStartups 100',
    'Subsystem sftp internal-sftp',
    'PidFile none',
    '',
  ].join('\n');
}

/** Users of a node, without passwords: a locked root could not log in by key either. */
export const NODE_SHADOW = 'root:*:19700:0:99999:7:::\nsshd:!:19700::::::\n';
