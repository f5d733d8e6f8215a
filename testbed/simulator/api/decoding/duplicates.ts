/** Paths of members that a JSON text names twice. A parser silently keeps the last one. */
export function duplicateMembers(text: string): readonly string[] {
  const found: string[] = [];
  const path: { readonly names: Set<string>; name: string }[] = [];
  const tokens = text.matchAll(/"(?:[^"\\]|\\.)*"\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g);
  for (const [token] of tokens) {
    if (token === '{' || token === '[') path.push({ names: new Set(), name: '' });
    else if (token === '}' || token === ']') path.pop();
    else if (token.endsWith(':')) noteMember(token, path, found);
  }
  return found;
}

function noteMember(
  token: string,
  path: readonly { readonly names: Set<string>; name: string }[],
  found: string[],
): void {
  const innermost = path.at(-1);
  if (innermost === undefined) return;
  const name = token.slice(1, token.lastIndexOf('"'));
  innermost.name = name;
  if (innermost.names.has(name)) {
    found.push(
      path
        .map((each) => each.name)
        .filter((each) => each !== '')
        .join('.'),
    );
  }
  innermost.names.add(name);
}
