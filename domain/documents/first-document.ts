/**
 * The first document of a YAML stream, with everything before it; what follows the next `---` or `...` is left out. A line
 * that begins with either ends a document wherever it is, even inside quotes and block text (YAML 1.2 §9.1.2). Kubernetes'
 * reader decodes the first document and ignores the others, including their syntax.
 * Source: sigs.k8s.io/yaml Unmarshal; tested on the readers of 1.21, 1.30 and 1.36.
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

/** Neither blank, nor a comment, nor a directive. */
function isContent(line: string): boolean {
  return !/^(?:\s*(?:#.*)?|%.*)$/.test(line);
}
