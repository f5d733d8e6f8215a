import { z } from 'zod';
import { failure } from '../failures.js';
import { parseBoundedJson } from '../../domain/documents/bounded-json.js';
import { Secret } from './secret.js';

export interface ExecCredential {
  readonly token: Secret;
  /** Epoch ms; null when the plugin does not state it. */
  readonly expiresAtMs: number | null;
}

/** client-go: pkg/apis/clientauthentication ExecCredential. */
const Answer = z.object({
  apiVersion: z.string(),
  kind: z.literal('ExecCredential'),
  status: z.object({
    token: z.string().min(1).optional(),
    expirationTimestamp: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
  }),
});

/** Reads what a plugin printed; errors say what is wrong, never what was printed. */
export function readExecCredential(
  output: string,
  apiVersion: string,
  what: string,
): ExecCredential {
  const read = Answer.safeParse(parsed(output));
  if (!read.success || read.data.apiVersion !== apiVersion) {
    throw failure('Unauthorized', `${what} printed no ExecCredential of ${apiVersion}`);
  }
  const { token, expirationTimestamp } = read.data.status;
  if (token === undefined) {
    throw failure(
      'NotSupported',
      `${what} gave a client certificate: only a token is taken from a plugin`,
    );
  }
  const expiresAtMs = expirationTimestamp === undefined ? null : Date.parse(expirationTimestamp);
  if (Number.isNaN(expiresAtMs)) {
    throw failure('Unauthorized', `${what} gave an expirationTimestamp that is not a valid time`);
  }
  return { token: new Secret(token), expiresAtMs };
}

function parsed(output: string): unknown {
  try {
    return parseBoundedJson(output);
  } catch {
    return null;
  }
}
