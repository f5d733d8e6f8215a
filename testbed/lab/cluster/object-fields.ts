/** A member of a JSON object; undefined when it is missing. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const from: object = found;
    found = Object.getOwnPropertyDescriptor(from, name)?.value;
  }
  return found;
}

/** A string; empty when it is missing. */
export function textOf(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** A list; empty when it is missing. */
export function itemsOf(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = fieldOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** Whether a Node object has condition Ready. */
export function isReadyNode(node: unknown): boolean {
  return itemsOf(node, 'status', 'conditions').some(
    (one) => textOf(one, 'type') === 'Ready' && textOf(one, 'status') === 'True',
  );
}

/** Holder of a Lease; empty when it has none. */
export function holderOf(lease: unknown): string {
  return textOf(lease, 'spec', 'holderIdentity');
}
