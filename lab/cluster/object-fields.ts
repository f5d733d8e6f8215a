/** Value of a member of an object that came as JSON; undefined when it is none. */
export function fieldOf(value: unknown, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const from: object = found;
    found = Object.getOwnPropertyDescriptor(from, name)?.value;
  }
  return found;
}

/** A text; empty where there is none. */
export function textOf(value: unknown, ...path: readonly string[]): string {
  const found = fieldOf(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** A list; empty where there is none. */
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

/** Who holds a Lease; empty for nobody. */
export function holderOf(lease: unknown): string {
  return textOf(lease, 'spec', 'holderIdentity');
}
