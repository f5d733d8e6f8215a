import { z } from 'zod';

/** What Temporal's web page asks a codec server: payloads as they stand in histories. */
export const CodecRequest = z.object({
  payloads: z
    .array(
      z.object({
        metadata: z.record(z.string(), z.string()).optional(),
        data: z.string().optional(),
      }),
    )
    .max(10_000),
});
