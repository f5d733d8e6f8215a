import { z } from 'zod';
import { outputSchema } from './parts.js';

/** `audit anchor --init`. */
export const AuditLog = outputSchema('AuditLog', {
  log: z.string().meta({ description: 'Its origin.' }),
  folder: z.string(),
  keyFile: z.string(),
  publicKey: z.string().meta({ description: 'SPKI in DER, in base64: for an AccessPolicy.' }),
  verifierKey: z.string().meta({ description: 'For other programs: name, id and key, with +.' }),
});

/** `audit anchor`. */
export const AuditAnchor = outputSchema('AuditAnchor', {
  log: z.string().meta({ description: 'Its origin.' }),
  size: z.number().int().meta({ description: 'Entries of the log now.' }),
  added: z.array(
    z.object({
      kind: z.literal('execution'),
      at: z.string(),
      cluster: z.string(),
      workflowId: z.string(),
      runId: z.string(),
      firstRunId: z.string(),
      startedAt: z.string(),
      ended: z.string().meta({ description: '`open`, or how the execution ended.' }),
      events: z.number().int(),
      history: z.string().meta({ description: 'Digest of these events.' }),
    }),
  ),
  contradictions: z
    .array(z.string())
    .meta({ description: 'Executions that the server now shows with another past.' }),
  unreadable: z
    .array(z.string())
    .meta({ description: 'Executions that cannot be read, and why: they are not in the log.' }),
  unstamped: z
    .string()
    .meta({ description: 'Why it could not be stamped, with --timestamp; or empty.' }),
  unpublished: z
    .string()
    .meta({ description: 'Why it could not be pushed, with --git; or empty.' }),
  checkpoint: z.string().meta({ description: 'The signed checkpoint: keep it elsewhere, too.' }),
});
