import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import ssh2 from 'ssh2';
import { fingerprintOf } from '../../../../activities/adapters/ssh/known-hosts.js';
import { openConnection } from '../../../../activities/adapters/ssh/open-connection.js';
import { letGo, type SshConnection } from '../../../../activities/adapters/ssh/ssh-connection.js';
import { Secret } from '../../../../activities/adapters/credentials/secret.js';

const hostKey = ssh2.utils.generateKeyPairSync('ed25519');
const clientKey = ssh2.utils.generateKeyPairSync('ed25519');

/** More than is read before the reader leaves, and less than a channel's window. */
const SAID = Buffer.alloc(64 * 1024);
/** Enough to use up every channel of a connection, twice. */
const TIMES = 13;

/** An SSH server where every port sends more than is read of it, and never ends. */
function talkativeNode(): ssh2.Server {
  return new ssh2.Server({ hostKeys: [hostKey.private] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => context.accept());
    client.on('ready', () => {
      client.on('tcpip', (accept) => {
        accept()
          .on('error', () => undefined)
          .write(SAID);
      });
    });
  });
}

describe('channels of a connection', () => {
  const node = talkativeNode();
  const listener = createServer((socket) => node.injectSocket(socket));
  let connection: SshConnection;

  beforeEach(async () => {
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo;
    const key = ssh2.utils.parseKey(hostKey.public);
    if (key instanceof Error) throw key;
    const fingerprints = new Set([fingerprintOf(key.getPublicSSH())]);
    const pins = { fingerprints, types: null, source: 'this test' };
    connection = await openConnection(
      { node: 'cp-1', host: '127.0.0.1', port, pins },
      { kind: 'key', user: 'root', key: new Secret(clientKey.private) },
    );
  });
  afterEach(() => {
    connection.close();
    listener.close();
  });

  it('channels of a connection become free when they are closed, though not all of their data was read', async () => {
    for (let time = 0; time < TIMES; time += 1) {
      const outcome = await connection.forward('127.0.0.1', 10257, AbortSignal.timeout(10_000));
      if (outcome.kind !== 'open') throw new Error(outcome.kind);
      await once(outcome.stream, 'readable');
      letGo(outcome.stream);
    }
    expect(connection.alive()).toBe(true);
  });
});
