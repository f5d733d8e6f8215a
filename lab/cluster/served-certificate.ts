import { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { awaited } from '../host/awaited.js';

const PATIENCE = { withinMs: 30_000, everyMs: 100 } as const;
const HANDSHAKE_MS = 5_000;

/** Waits until a server shows this certificate to whoever connects. @throws Error when it does not in time. */
export async function untilServed(
  address: string,
  port: number,
  certificatePem: string,
): Promise<void> {
  const { fingerprint256 } = new X509Certificate(certificatePem);
  const isShown = async (): Promise<true | null> =>
    (await shownBy(address, port)) === fingerprint256 ? true : null;
  const what = `${address}:${port} shows its new certificate (look into the log of what listens there)`;
  await awaited(what, isShown, PATIENCE);
}

/** Fingerprint of the certificate that a server shows; null while it shows none. */
function shownBy(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    // Nothing is sent and nothing is believed: which certificate it is, is the question.
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: HANDSHAKE_MS }, () => {
      resolve(socket.getPeerX509Certificate()?.fingerprint256 ?? null);
      socket.destroy();
    });
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(null));
  });
}
