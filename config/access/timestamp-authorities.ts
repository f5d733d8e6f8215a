import { X509Certificate } from 'node:crypto';
import { z } from 'zod';
import type { LogTimestamps } from '../../domain/authority/access-policy.js';
import { duration, durationMs } from '../duration.js';

const ONE_CERTIFICATE =
  /^-----BEGIN CERTIFICATE-----\n(?:[A-Za-z0-9+/=]{1,76}\n){1,400}-----END CERTIFICATE-----\n?$/;
const ONE_AUTHORITY =
  'write one certificate of an authority (CA:TRUE) in PEM, from BEGIN to END, with nothing around it';

/** In YAML after `|-`, in JSON with \n. */
const authority = z
  .string()
  .regex(ONE_CERTIFICATE, ONE_AUTHORITY)
  .refine(isAuthority, ONE_AUTHORITY);

/** That of who signs timestamps is another: it changes every few years. */
function isAuthority(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

/** Whose timestamps (RFC 3161) of a log an audit believes. */
export const logTimestamps = z
  .strictObject({
    within: duration(
      '1m',
      '720h',
      'The longest time from an event to the timestamp over it: what is stamped later may have been rewritten before.',
    ).default('1h'),
    authorities: z.array(authority).min(1).max(16).meta({
      description:
        'Certificates (PEM) of the CAs that the certificates of timestamps lead up to; also of an earlier one, whose timestamps the log still has.',
    }),
  })
  .meta({
    description:
      'Timestamp authorities (RFC 3161) of `ccm-migrate audit anchor --timestamp`: what they stamped in time counts as if the log were independent.',
  });

export function timestampsOf({
  within,
  authorities,
}: z.output<typeof logTimestamps>): LogTimestamps {
  return {
    authorities: authorities.map((pem) => new X509Certificate(pem).raw.toString('base64')),
    withinSeconds: Math.floor(durationMs(within) / 1000),
  };
}
