import type { Logger } from 'pino';
import { NativeConnection, type NativeConnectionOptions } from '@temporalio/worker';
import type { WorkerEnvironment } from '../config/environment.js';
import { followToken, readToken } from '../config/temporal-token.js';
import { readRegular } from '../config/regular-file.js';

/** A connection whose token follows its file. */
export interface TemporalConnection {
  readonly connection: NativeConnection;
  close(): Promise<void>;
}

/** Connects to Temporal as configured; `config/environment` has already refused plain text to other machines. */
export async function connectTemporal(
  temporal: WorkerEnvironment['temporal'],
  log: Logger,
): Promise<TemporalConnection> {
  const { address, apiKeyFile } = temporal;
  const options = await connectionOptions(temporal);
  const connection = await NativeConnection.connect(options).catch((error: unknown) => {
    throw new Error(
      `Temporal at ${address} cannot be reached: ${error instanceof Error ? error.message : 'unknown error'}. ` +
        'Check TEMPORAL_ADDRESS and its TLS files, or start `ccm-migrate dev`',
      { cause: error },
    );
  });
  const { apiKey } = options;
  const leave =
    apiKey === undefined
      ? () => undefined
      : followToken(apiKeyFile, {
          first: apiKey,
          replace: (token) => connection.setApiKey(token),
          unreadable: (why) => {
            log.warn({ why }, 'the token for Temporal stays as it was');
          },
        });
  return {
    connection,
    close: async () => {
      leave();
      await connection.close();
    },
  };
}

async function connectionOptions({
  address,
  encrypted,
  certificateFile,
  keyFile,
  authorityFile,
  apiKeyFile,
}: WorkerEnvironment['temporal']): Promise<NativeConnectionOptions & { readonly apiKey?: string }> {
  if (!encrypted) return { address, tls: false };
  const [crt, key, authority] = await Promise.all(
    [certificateFile, keyFile, authorityFile].map(readIfNamed),
  );
  return {
    address,
    tls: {
      ...(authority === undefined ? {} : { serverRootCACertificate: authority }),
      ...(crt === undefined || key === undefined ? {} : { clientCertPair: { crt, key } }),
    },
    ...(apiKeyFile === '' ? {} : { apiKey: await readToken(apiKeyFile) }),
  };
}

function readIfNamed(path: string): Promise<Buffer | undefined> {
  return path === '' ? Promise.resolve(undefined) : readRegular(path);
}
