import { X509Certificate } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from 'node:tls';

const PATIENCE_MS = 30_000;
const HANDSHAKE_MS = 5_000;
const LOOK_EVERY_MS = 100;

/** Waits until a server shows this certificate to whoever connects. @throws Error when it does not in time. */
export async function untilServed(
  address: string,
  port: number,
  certificatePem: string,
): Promise<void> {
  const { fingerprint256 } = new X509Certificate(certificatePem);
  const endsAt = Date.now() + PATIENCE_MS;
  while ((await shownBy(address, port)) !== fingerprint256) {
    if (Date.now() > endsAt) {
      throw new Error(
        `${address}:${port} does not show its new certificate after ${PATIENCE_MS / 1000} s; look into the log of what listens there`,
      );
    }
    await sleep(LOOK_EVERY_MS);
  }
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
