import { z } from 'zod';

/** Parts of the answers of docs/contracts/node-access-api.md. */
export const Hash = z.string().regex(/^sha256:[0-9a-f]{64}$/);

export const FileAnswer = z.object({
  path: z.string(),
  content: z.string(),
  hash: Hash,
  mode: z.string(),
});

export const DirectoryItems = z.array(z.object({ name: z.string(), hash: Hash }));

export const HostAnswer = z.object({
  hostname: z.string().min(1),
  bootId: z.string().min(1),
  bootTimeMs: z.number(),
  nowMs: z.number(),
  processes: z.array(
    z.object({
      pid: z.number().int().positive(),
      manager: z.enum(['kcm', 'ccm']),
      startedAtMs: z.number(),
      arguments: z.array(z.string()),
      paused: z.boolean(),
    }),
  ),
});
