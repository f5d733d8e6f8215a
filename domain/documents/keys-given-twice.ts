import type { Document, Node } from 'yaml';
import { isScalar, visit } from 'yaml';

/**
 * Duplicate keys in a document parsed with `uniqueKeys: false`: the library's own check compares each key with all before it,
 * which takes seconds on hostile input.
 */
export function keysGivenTwice(document: Document): readonly Node[] {
  const repeated: Node[] = [];
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        const name: unknown = isScalar(key) ? key.value : key;
        // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- of a parsed text every key is a node
        if (seen.has(name)) repeated.push(key as Node);
        seen.add(name);
      }
    },
  });
  return repeated;
}
