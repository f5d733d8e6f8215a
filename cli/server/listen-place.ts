import { hostPort, isLoopback, type HostPort } from '../../config/host-port.js';
import type { Cli } from '../cli.js';
import { UsageError } from '../cli-error.js';
import type { ServerPlace } from './bounded-server.js';
import { readRegular } from '../../config/regular-file.js';

/** Where `--listen`, `--tls-cert` and `--tls-key` say. @throws UsageError for an open address without TLS */
export async function listenPlace(cli: Cli): Promise<ServerPlace> {
  const address = listenAddress(cli);
  return { ...address, tls: await tlsFiles(cli, address) };
}

function listenAddress({ options }: Cli): HostPort {
  const written = options.text('listen') ?? '';
  const read = hostPort(written);
  if (read === null) throw new UsageError(`--listen must be host:port, not ${written}`);
  return read;
}

/** Tokens, and what is decrypted, cross no network in plain text. */
async function tlsFiles({ options }: Cli, { host }: HostPort): Promise<ServerPlace['tls']> {
  const [cert, key] = [options.text('tlsCert'), options.text('tlsKey')];
  if ((cert === null) !== (key === null)) {
    throw new UsageError('--tls-cert and --tls-key must be given together');
  }
  if (cert !== null && key !== null) {
    const [certText, keyText] = await Promise.all([
      pemFile('--tls-cert', cert),
      pemFile('--tls-key', key),
    ]);
    return { cert: certText, key: keyText };
  }
  if (isLoopback(host)) return null;
  throw new UsageError(
    `--listen ${host} is not on this machine alone: what it is for would cross the network in plain text. Give --tls-cert and --tls-key`,
  );
}

/** @throws UsageError for one that cannot be read */
export async function pemFile(flag: string, path: string): Promise<Buffer> {
  return readRegular(path).catch(() => {
    throw new UsageError(`${flag} ${path} cannot be read`);
  });
}
