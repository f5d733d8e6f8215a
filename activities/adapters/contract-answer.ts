import type { z } from 'zod';
import { failure } from '../failures.js';

/**
 * A 2xx answer as its contract describes it. Anything else is `Unavailable`: after a write, observe before continuing.
 */
export function answered<T>(schema: z.ZodType<T>, json: unknown, what: string): T {
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  const path = result.error.issues[0]?.path.join('.') ?? '';
  throw failure('Unavailable', `${what}: the answer breaks the contract at ${path}`);
}
