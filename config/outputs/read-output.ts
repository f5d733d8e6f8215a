import type { z } from 'zod';
import { knownKeysAt } from '../known-keys.js';
import { type SchemaComplaint, complaints } from '../problems.js';

type ReadOutput<Schema extends z.ZodType> =
  | { readonly kind: 'valid'; readonly value: z.output<Schema> }
  | { readonly kind: 'invalid'; readonly complaints: readonly SchemaComplaint[] };

/** A document that this tool has written earlier, read as strictly as what people write. */
export function readOutput<Schema extends z.ZodType>(
  schema: Schema,
  raw: unknown,
): ReadOutput<Schema> {
  const parsed = schema.safeParse(raw, { reportInput: true });
  if (parsed.success) return { kind: 'valid', value: parsed.data };
  const known = (at: readonly (string | number)[]): readonly string[] => knownKeysAt(schema, at);
  return {
    kind: 'invalid',
    complaints: parsed.error.issues.flatMap((issue) => complaints(issue, known)),
  };
}
