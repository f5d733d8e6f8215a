import { z } from 'zod';

/** The parts of a JSON Schema that we read. */
interface SchemaNode {
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly oneOf?: readonly SchemaNode[];
  readonly anyOf?: readonly SchemaNode[];
  readonly items?: SchemaNode | readonly SchemaNode[];
}

/** JSON Schema (draft-07, as editors read it) of a document as people write it. */
export function writtenSchema(schema: z.ZodType): object {
  return z.toJSONSchema(schema, { target: 'draft-07', io: 'input' });
}

/** Keys that a schema knows at a path, over all forms the value there can take. */
export function knownKeysAt(
  schema: z.ZodType,
  path: readonly (string | number)[],
): readonly string[] {
  const root: SchemaNode = writtenSchema(schema);
  const nodes = path.reduce<readonly SchemaNode[]>(
    (current, part) => current.flatMap(forms).flatMap((node) => childrenOf(node, part)),
    [root],
  );
  return nodes.flatMap(forms).flatMap((node) => Object.keys(node.properties ?? {}));
}

function forms(node: SchemaNode): readonly SchemaNode[] {
  const inner = [...(node.oneOf ?? []), ...(node.anyOf ?? [])];
  return inner.length === 0 ? [node] : inner.flatMap(forms);
}

function childrenOf(node: SchemaNode, part: string | number): readonly SchemaNode[] {
  if (typeof part === 'string') {
    const child = node.properties?.[part];
    return child === undefined ? [] : [child];
  }
  return node.items === undefined ? [] : [node.items].flat();
}
