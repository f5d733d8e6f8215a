/** A step by its name, and its node where it is about one. */
export function stepTitle({
  name,
  node,
}: {
  readonly name: string;
  readonly node: string;
}): string {
  return node === '' ? name : `${name} ${node}`;
}
