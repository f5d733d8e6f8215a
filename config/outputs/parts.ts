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

const countedNumbers = z.object({
  bad: z.number(),
  events: z.number(),
  before: z.object({ bad: z.number(), events: z.number() }).nullable().meta({
    description: 'Counted before the first step; null where nothing is comparable.',
  }),
  oneIn: z.number().meta({
    description: 'So many windows of good events contain one like it; `needed` of them fail.',
  }),
  needed: z.number(),
  visible: z.number().nullable().meta({
    description:
      'Least ratio of harm that would have shown since the latest step; null if none would.',
  }),
});

/** What gates of a soak could not see. */
export const gateNotes = z
  .array(z.object({ gate: z.string(), detail: z.string() }))
  .optional()
  .meta({
    description:
      'What the gates of the latest soak could not see, for example too few events; holds nothing. Absent where there is nothing to say.',
  });

/** What one gate says. Times are epoch ms. */
export const gateVerdict = z.object({
  gate: z.string(),
  hardness: z.enum(['hard', 'soft']),
  verdict: z.enum(['pass', 'inconclusive', 'noData', 'error', 'fail']),
  detail: z.string(),
  code: z.string(),
  noted: z.literal(true).optional().meta({
    description:
      'Too little was counted to say anything, and nothing of it was bad: holds nothing.',
  }),
  numbers: z
    .object({
      unit: z.enum(['ratio', 'seconds', 'items', 'own']),
      value: z.number().nullable().meta({ description: 'Null without events or a sample.' }),
      limit: z.number().nullable(),
      window: z.object({ fromMs: z.number(), toMs: z.number() }).nullable(),
      counted: countedNumbers.optional(),
      source: z.string().meta({ description: 'Processes that were read, or the host asked.' }),
      query: z.string().meta({ description: 'What is measured, as a formula over the series.' }),
    })
    .optional(),
});
