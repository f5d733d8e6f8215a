import { type Socket, connect as connectSocket } from 'node:net';
import type { AnyAuthMethod, ConnectConfig, ServerHostKeyAlgorithm } from 'ssh2';
import ssh2 from 'ssh2';
import type { SshAccess } from '../../../config/loaded-inventories.js';
import { errorCode, failure } from '../../failures.js';
import { Secret } from '../credentials/secret.js';
import type { HostPins } from './known-hosts.js';
import { fingerprintOf, keyTypeOf } from './known-hosts.js';
import { type SshConnection, sshConnection } from './ssh-connection.js';
import { openRegular } from '../../../config/regular-file.js';

/** Address of a node's sshd, and the keys it may present. */
export interface SshTarget {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  readonly pins: HostPins;
}

/** Limit for TCP, key exchange and login together; three missed keepalives mean a lost connection. */
const CONNECT_MS = 10_000;
const KEEPALIVE_MS = 5_000;

/** What OpenSSH 8.0 and later offers, without SHA-1, CBC and the groups below 2048 bits. AES-GCM first: it needs no native code here. */
const ALGORITHMS = {
  kex: [
    'curve25519-sha256',
    'curve25519-sha256@libssh.org',
    'ecdh-sha2-nistp256',
    'ecdh-sha2-nistp384',
    'ecdh-sha2-nistp521',
    'diffie-hellman-group16-sha512',
    'diffie-hellman-group14-sha256',
  ],
  cipher: ['aes256-gcm@openssh.com', 'aes128-gcm@openssh.com', 'aes256-ctr', 'aes128-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com'],
  compress: ['none'],
} satisfies ConnectConfig['algorithms'];

const HOST_KEY_ALGORITHMS: readonly ServerHostKeyAlgorithm[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
];

/** Connects and logs in, or fails with what the operator must do. The one importer of ssh2's client. */
export async function openConnection(target: SshTarget, login: Login): Promise<SshConnection> {
  const { host, port, pins } = target;
  if (pins.fingerprints.size === 0) throw unknownHost(target);
  const method = authMethod(login);
  const client = new ssh2.Client();
  const socket = connectSocket({ host, port, noDelay: true });
  let shown: Buffer | null = null;
  const ready = new Promise<SshConnection>((resolve, reject) => {
    client.once('ready', () => resolve(sshConnection(client, socket)));
    client.on('error', (error: Error) => reject(connectFailure(target, login, shown, error)));
    client.once('close', () => reject(connectFailure(target, login, shown, null)));
  });
  client.connect({
    sock: socket,
    username: login.user,
    authHandler: [method],
    hostVerifier: (key: Buffer) => {
      shown = key;
      return pins.fingerprints.has(fingerprintOf(key));
    },
    algorithms: { ...ALGORITHMS, serverHostKey: hostKeyAlgorithms(pins) },
    readyTimeout: CONNECT_MS,
    keepaliveInterval: KEEPALIVE_MS,
    keepaliveCountMax: 3,
  });
  return ready.catch((error: unknown) => {
    abandon(client, socket);
    throw error;
  });
}

function abandon(client: ssh2.Client, socket: Socket): void {
  client.end();
  socket.destroy();
}

function authMethod(login: Login): AnyAuthMethod {
  const { user: username } = login;
  if (login.kind === 'agent') return { type: 'agent', username, agent: login.socket };
  const key = ssh2.utils.parseKey(login.key.reveal());
  if (!(key instanceof Error) && key.isPrivateKey()) return { type: 'publickey', username, key };
  // The parser's own message is not used: it is about a secret.
  throw failure(
    'InvalidInput',
    'nodeAccess.identityFile holds no usable private key. Load a key with a passphrase into an ssh agent and set its socket as nodeAccess.agent',
  );
}

/** Where the complete pinned keys are known, the server must present one of their types, as with OpenSSH. */
function hostKeyAlgorithms({ types }: HostPins): ServerHostKeyAlgorithm[] {
  if (types === null) return [...HOST_KEY_ALGORITHMS];
  const wanted = HOST_KEY_ALGORITHMS.filter((name) =>
    types.includes(name.startsWith('rsa-sha2') ? 'ssh-rsa' : name),
  );
  return wanted.length === 0 ? [...HOST_KEY_ALGORITHMS] : wanted;
}

function unknownHost({ node, host, port, pins }: SshTarget): Error {
  return failure(
    'Unauthorized',
    `node ${node} (${host} port ${String(port)}): its host key is not in ${pins.source}, so nothing was sent (entries by address or Node name alone do not count). Read its key on the node itself (ssh-keygen -l -f /etc/ssh/ssh_host_ed25519_key.pub) and add it; ccm-migrate explain CCM4025`,
    { details: { reason: 'HostKey' } },
  );
}

function connectFailure(
  target: SshTarget,
  login: Login,
  shown: Buffer | null,
  error: (Error & { readonly level?: string }) | null,
): Error {
  const where = `node ${target.node} (${target.host} port ${String(target.port)})`;
  if (shown !== null && !target.pins.fingerprints.has(fingerprintOf(shown))) {
    return failure(
      'Unauthorized',
      `${where} showed host key ${keyTypeOf(shown)} ${fingerprintOf(shown)}, which is not the one in ${target.pins.source}: nothing was sent. Another machine may answer there. If the node was reinstalled, read its key on the node itself and correct it; ccm-migrate explain CCM4025`,
      { details: { reason: 'HostKey' } },
    );
  }
  switch (error?.level ?? '') {
    case 'client-authentication':
    case 'agent':
      return failure(
        'Unauthorized',
        `${where} rejects user ${login.user} with ${login.kind === 'agent' ? 'a key of the agent' : 'this key'}: check authorized_keys there and nodeAccess in the inventory; ccm-migrate explain CCM4026`,
        { details: { reason: 'NodeLogin' } },
      );
    case 'handshake':
      return failure(
        'NotSupported',
        `${where}: no common algorithms with its SSH server (${error?.message ?? ''})`,
      );
    case 'client-timeout':
      return failure('Unreachable', `${where} did not answer in ${String(CONNECT_MS)} ms`);
    default:
      return notReached(where, errorCode(error));
  }
}

function notReached(where: string, code: string): Error {
  return failure('Unreachable', `${where} cannot be reached (${code === '' ? 'cut off' : code})`, {
    details: { reason: code },
  });
}

/** How we authenticate to a node. */
type Login =
  | { readonly kind: 'key'; readonly user: string; readonly key: Secret }
  | { readonly kind: 'agent'; readonly user: string; readonly socket: string };

/** A private key is a few kilobytes long. */
const MAX_BYTES = 64 * 1024;

/** The key is re-read for each connection, so a renewed one takes effect; no part of it appears in errors. */
export async function readLogin({ user, identityFile, agent }: SshAccess): Promise<Login> {
  if (agent !== undefined) return { kind: 'agent', user, socket: agent };
  if (identityFile === undefined) throw failure('Bug', 'neither identityFile nor agent is set');
  return { kind: 'key', user, key: new Secret(await privateText(identityFile)) };
}

async function privateText(path: string): Promise<string> {
  try {
    const file = await openRegular(path);
    try {
      const { mode, size } = await file.stat();
      if ((mode & 0o077) !== 0) {
        const shown = (mode & 0o777).toString(8).padStart(4, '0');
        throw refuse(path, `other users can read it (mode ${shown}): chmod 600 ${path}`);
      }
      if (size > MAX_BYTES) throw refuse(path, 'it is too long for a private key');
      return await file.readFile('utf8');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (errorCode(error) === '') throw error;
    throw refuse(path, `it cannot be read (${errorCode(error)})`);
  }
}

function refuse(path: string, why: string): Error {
  return failure('InvalidInput', `nodeAccess.identityFile ${path}: ${why}`);
}
