/** Value of a member of an object that came as JSON; undefined when it is none. */
function member(value: unknown, ...path: readonly string[]): unknown {
  let found: unknown = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    const from: object = found;
    found = Object.getOwnPropertyDescriptor(from, name)?.value;
  }
  return found;
}

/** Whether a Node object has condition Ready. */
export function isReadyNode(node: unknown): boolean {
  const conditions = member(node, 'status', 'conditions');
  if (!Array.isArray(conditions)) return false;
  return conditions.some(
    (one: unknown) => member(one, 'type') === 'Ready' && member(one, 'status') === 'True',
  );
}

/** Who holds a Lease; empty for nobody. */
export function holderOf(lease: unknown): string {
  const holder = member(lease, 'spec', 'holderIdentity');
  return typeof holder === 'string' ? holder : '';
}
