import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { awaited } from '../host/awaited.js';

const PATIENCE = { withinMs: 30_000, everyMs: 100 } as const;
const HANDSHAKE_MS = 5_000;

/** Waits until a server presents this certificate to new connections. @throws Error when it does not in time. */
export async function untilServed(
  address: string,
  port: number,
  certificatePem: string,
): Promise<void> {
  const { fingerprint256 } = new X509Certificate(certificatePem);
  const isShown = async (): Promise<true | null> =>
    (await shownBy(address, port)) === fingerprint256 ? true : null;
  const what = `${address}:${port} serves its new certificate (see the log of the server at that address)`;
  await awaited(what, isShown, PATIENCE);
}

/** Fingerprint of the certificate that a server presents; null while it presents none. */
function shownBy(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    // Nothing is sent or trusted: the connection only serves to read the certificate.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: HANDSHAKE_MS }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? null);
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(null));
  });
}
