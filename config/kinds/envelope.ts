import { z } from 'zod';

export const API_VERSION = 'ccm-migrate.dev/v1alpha1' as const;

/** DNS label, as Kubernetes names its objects; long enough for a cluster's name. */
export const dnsName = z
  .string()
  .max(63)
  .regex(
    /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/,
    'use lowercase letters, digits, "-" and ".", starting and ending with a letter or digit',
  );

const visible = z
  .string()
  .regex(
    /^\P{C}*$/u,
    'holds a character that a terminal hides or obeys, such as the end of a line',
  );

/** Commands that are shown name them, and are typed as they stand. */
export const labels = z.record(visible.min(1).max(317), visible.max(63));

/** An address of one of our APIs: always https, never with a credential in it. */
export const httpsUrl = z
  .string()
  .max(2048)
  .regex(/^https:\/\/[^\s@]+$/, 'must be an https:// address without credentials in it');

/** A path as written: absolute, or from the folder of the file that names it. */
export const filePath = z.string().min(1).max(4096);

/** The frame that all kinds share. Unknown keys are refused everywhere. */
export function kindSchema<K extends string, S extends z.ZodType>(kind: K, spec: S) {
  return z.strictObject({
    apiVersion: z.literal(API_VERSION),
    kind: z.literal(kind),
    metadata: z.strictObject({
      name: dnsName,
      labels: labels.optional(),
      annotations: z.record(z.string(), z.string()).optional(),
    }),
    spec,
  });
}
