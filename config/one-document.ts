import type { z } from 'zod';
import { boundsProblem } from '../domain/yaml/bounds.js';
import { parseYamlDocuments } from '../domain/yaml/parsed-documents.js';
import { knownKeysAt } from './known-keys.js';
import { complaints } from './problems.js';

export type InvalidDocument = { readonly kind: 'invalid'; readonly problems: readonly string[] };

/**
 * Reads a file that is one document, YAML or JSON, as a whole or not at all. Problems name places and never quote a value.
 */
export function readOneDocument<Schema extends z.ZodType>(
  text: string,
  schema: Schema,
): { readonly kind: 'valid'; readonly content: z.output<Schema> } | InvalidDocument {
  const bounds = boundsProblem(text);
  if (bounds !== null) return invalidDocument([bounds]);
  const { documents, problems } = parseYamlDocuments(text);
  if (problems.length > 0) {
    return invalidDocument(
      problems.map(({ line, column }) => `${line}:${column}: it is not YAML or JSON`),
    );
  }
  const [document, ...others] = documents;
  if (document === undefined || others.length > 0) {
    return invalidDocument(['it must hold one document']);
  }
  const read = schema.safeParse(document.value, { reportInput: false });
  if (read.success) return { kind: 'valid', content: read.data };
  const placed = read.error.issues.flatMap((issue) =>
    complaints(issue, (path) => knownKeysAt(schema, path)).map(
      ({ path, message }) => `${path.join('.')}: ${message}`,
    ),
  );
  return invalidDocument(placed);
}

export function invalidDocument(problems: readonly string[]): InvalidDocument {
  return { kind: 'invalid', problems };
}
