import { z } from 'zod';
import { MANAGERS } from '../../domain/vocabulary.js';

/** Parts of the answers of docs/contracts/node-access-api.md. */
export const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const FileAnswer = z.object({
  path: z.string(),
  content: z.string(),
  hash: Hash,
  mode: z.string(),
  changedAtMs: z.number(),
});

export const DirectoryItems = z.array(z.object({ name: z.string(), hash: Hash }));

/** Arguments of one process; a manager has about fifty. */
export const MOST_ARGUMENTS = 2000;

const Arguments = z.array(z.string()).max(MOST_ARGUMENTS);

export const HostAnswer = z.object({
  hostname: z.string().min(1),
  bootId: z.string().min(1),
  bootTimeMs: z.number(),
  nowMs: z.number(),
  processes: z.array(
    z.object({
      pid: z.number().int().positive(),
      manager: z.enum(MANAGERS),
      startedAtMs: z.number(),
      arguments: Arguments,
      paused: z.boolean(),
    }),
  ),
  // An agent that does not report kubelets leaves them unknown.
  kubelets: z
    .array(
      z.object({
        pid: z.number().int().positive(),
        startTicks: z.number().int().nonnegative(),
        startedAtMs: z.number(),
        arguments: Arguments,
      }),
    )
    .default([]),
});

export const KubeletUnitAnswer = z.object({
  state: z.string(),
  environmentFiles: z.array(z.string()),
});

export const KubeletRestartAnswer = z.object({ outcome: z.enum(['restarted', 'runsSo']) });
