import type { ApplicationFailure } from '@temporalio/common';
import { ApplicationFailure as Known } from '@temporalio/common';
import { errorCode } from '../error-code.js';
import { failure } from '../failures.js';

const TLS_CODE =
  /^(ERR_TLS|ERR_SSL|ERR_OSSL|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|EPROTO|HOSTNAME_)/;
const TIMEOUT_CODE = /^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/;

/**
 * Any error before the answer was complete, as a failure of the closed list. For a mutation `Unavailable` and `Timeout` mean
 * that the outcome is unknown: observe before retrying.
 */
export function connectionFailure(
  what: string,
  error: unknown,
  expired: boolean,
): ApplicationFailure {
  if (error instanceof Known) return error;
  // Only the code: messages and members of HTTP client errors contain addresses, sockets and headers.
  const code = errorCode(error);
  if (expired || TIMEOUT_CODE.test(code)) {
    return failure('Timeout', `${what}: no complete answer in time`, { details: { reason: code } });
  }
  if (TLS_CODE.test(code)) {
    return failure(
      'Unauthorized',
      `${what}: the TLS connection was refused (${code}). ${tlsRemedy(code)}`,
      { details: { reason: code } },
    );
  }
  return failure(
    'Unavailable',
    `${what}: the connection failed (${code === '' ? 'cut off' : code})`,
    {
      details: { reason: code },
    },
  );
}

/**
 * Which certificate is at fault and what to do; codes of OpenSSL's verification as Node names them
 * (X509_verify_cert_error_string(3)).
 */
function tlsRemedy(code: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return "The server's certificate, or that of its authority, has expired: renew it there (kubeadm: `kubeadm certs check-expiration`, then `kubeadm certs renew apiserver`), or set this machine's clock right if it is ahead.";
    case 'CERT_NOT_YET_VALID':
      return "The server's certificate, or that of its authority, is not valid yet: compare this machine's clock with the server's.";
    default:
      return "The server's certificate must be signed by the authority in the kubeconfig and name its address; a client certificate must be valid and known to the server.";
  }
}
