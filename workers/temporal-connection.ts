import { readFile } from 'node:fs/promises';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { WorkerEnvironment } from '../config/environment.js';

/** Connects to Temporal as configured; `config/environment` has already refused plain text to other machines. */
export async function connectTemporal(
  temporal: WorkerEnvironment['temporal'],
): Promise<NativeConnection> {
  const options = await connectionOptions(temporal);
  return NativeConnection.connect(options).catch((error: unknown) => {
    throw new Error(
      `Temporal at ${temporal.address} cannot be reached: ${error instanceof Error ? error.message : 'unknown error'}. ` +
        'Check TEMPORAL_ADDRESS and its TLS files, or start `ccm-migrate dev`',
      { cause: error },
    );
  });
}

async function connectionOptions({
  address,
  encrypted,
  certificateFile,
  keyFile,
  authorityFile,
  apiKeyFile,
}: WorkerEnvironment['temporal']): Promise<NativeConnectionOptions> {
  if (!encrypted) return { address, tls: false };
  const [crt, key, authority, apiKey] = await Promise.all(
    [certificateFile, keyFile, authorityFile, apiKeyFile].map(readIfNamed),
  );
  return {
    address,
    tls: {
      ...(authority === undefined ? {} : { serverRootCACertificate: authority }),
      ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
    },
    ...(apiKey === undefined ? {} : { apiKey: apiKey.toString('utf8').trim() }),
  };
}

function readIfNamed(path: string): Promise<Buffer | undefined> {
  return path === '' ? Promise.resolve(undefined) : readFile(path);
}
