import { z } from 'zod';
import { API_VERSION } from '../kinds/envelope.js';

/**
 * The frame of every document that this tool prints. Readers must tolerate new members: they may be added within a
 * version.
 */
export function outputSchema<K extends string, S extends z.ZodRawShape>(kind: K, members: S) {
  return z
    .object({ apiVersion: z.literal(API_VERSION), kind: z.literal(kind), ...members })
    .meta({ title: kind });
}

export const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
export const time = z.string().meta({ description: 'ISO 8601, UTC.' });
export const target = z.enum(['ccm', 'kcm']);

export const finding = z.object({
  code: z.string(),
  severity: z.enum(['error', 'warning', 'info']),
  subject: z.string(),
  seen: z.string(),
  why: z.string(),
  fix: z.string(),
  source: z.string(),
});

export const problem = z.object({
  file: z.string(),
  line: z.number().int().min(1),
  column: z.number().int().min(1),
  path: z.string(),
  message: z.string(),
  code: z.string(),
});

export const change = z.object({
  subject: z
    .string()
    .meta({ description: 'For example cp-1:/etc/kubernetes/… or Role kube-system/…' }),
  action: z.enum(['create', 'update', 'delete']),
  after: z
    .string()
    .meta({ description: 'sha256:<hex> of a file afterwards; empty when there is none.' }),
  diff: z
    .string()
    .meta({ description: 'Unified diff of file or object; empty where its text is not known.' }),
});

export const stepRecord = z.object({
  name: z.string(),
  phase: z.string(),
  node: z.string(),
  detail: z.string(),
  durationMs: z.number(),
  orphanMs: z.number(),
});

export const ownershipTotals = z.object({
  overlapSeconds: z.number(),
  orphanSeconds: z.number(),
  unknownSeconds: z
    .number()
    .meta({ description: 'Seconds in which the owner of the controllers could not be read.' }),
  moves: z.number(),
});
