/**
 * The first document of a YAML stream, with what stands before it; what follows the next `---` or `...` is left out.
 * A line that begins with either is a document's limit wherever it stands, inside quotes and block text too (YAML 1.2
 * §9.1.2). Kubernetes' reader decodes the first document and never looks at the others, not even for their syntax.
 * Source: sigs.k8s.io/yaml Unmarshal; asked of the readers of 1.21, 1.30 and 1.36.
 */
export function firstDocument(text: string): string {
  let begun = false;
  let length = 0;
  for (const line of text.split('\n')) {
    const limit = /^(?:---|\.\.\.)(?:\s|$)/.test(line);
    if (limit && begun) return text.slice(0, length);
    begun ||= limit || isContent(line);
    length += line.length + 1;
  }
  return text;
}

/** Neither blank, nor a remark, nor a directive. */
function isContent(line: string): boolean {
  return !/^(?:\s*(?:#.*)?|%.*)$/.test(line);
}
