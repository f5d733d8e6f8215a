import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import type { PrometheusSettings } from '../../domain/policy.js';
import { duration, durationMs } from '../duration.js';
import { filePath } from './envelope.js';

/** Of an IPv4 or IPv6 loopback address: no one else can change what comes from there. */
const LOOPBACK = /^http:\/\/(?:127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(?:\/|$)/;

const prometheusUrl = z
  .string()
  .max(2048)
  .regex(
    /^https?:\/\/[^\s@?#]+$/,
    'must be an address such as https://prometheus.example, without user, query or fragment',
  )
  .refine((url) => url.startsWith('https://') || LOOPBACK.test(url), {
    message:
      'must be https://: a forged answer would let harm pass. http:// is accepted on 127.0.0.1, for example for kubectl port-forward',
  });

const match = z
  .record(
    z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_]{0,127}$/, 'must be the name of a label'),
    z.string().min(1, 'must not be empty: that matches series without the label').max(256),
  )
  .refine((labels) => Object.keys(labels).length > 0, {
    message: 'name a label that tells this cluster from others, for example {cluster: prod-1}',
  })
  .refine((labels) => Object.keys(labels).every((name) => !name.startsWith('__')), {
    message: 'labels that begin with "__" are of Prometheus itself: no series has them',
  });

const prometheus = z
  .strictObject({
    url: prometheusUrl.meta({
      description: 'Address below which /api/v1/query is; redirects are not followed.',
    }),
    caFile: filePath.optional().meta({
      description:
        'Authorities of its certificate, from the folder of this file; those of the system when omitted.',
    }),
    tokenFile: filePath.optional().meta({
      description:
        'File with a bearer token, from the folder of this file; re-read for each query.',
    }),
    match: match.meta({
      description: 'Labels that all series of the cluster have, and no others.',
    }),
    staleAfter: duration('15s', '10m', 'Age at which a scrape says nothing about now.').default(
      '2m',
    ),
  })
  .meta({ description: 'A server with the HTTP API of Prometheus.' });

/** Where the numbers of a cluster's gates come from, as written in an inventory. */
export const writtenMetricSources = z
  .strictObject({ prometheus: prometheus.optional() })
  .meta({ description: "Where the operator's own gates (gates.metrics.own) are measured." });

export type WrittenMetricSources = z.output<typeof writtenMetricSources>;

/** The settings of a Prometheus, paths taken from the file that names them; null without one. */
export function prometheusSettings(
  { prometheus: written }: WrittenMetricSources,
  file: string,
): PrometheusSettings | null {
  if (written === undefined) return null;
  const { url, caFile, tokenFile, staleAfter } = written;
  const absolute = (path: string | undefined): string | null =>
    path === undefined ? null : resolve(dirname(resolve(file)), path);
  return Object.freeze({
    url,
    caFile: absolute(caFile),
    tokenFile: absolute(tokenFile),
    match: Object.freeze({ ...written.match }),
    staleAfterMs: durationMs(staleAfter),
  });
}
