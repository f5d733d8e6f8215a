import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const NEW_PAGE = `# Benchmarks

Measurements, not tests. They apply to the named machine only.
`;

/** Replaces one generated section of the page of benchmarks; everything else in it stays unchanged. */
export function writeSection(file: string, name: string, text: string): void {
  const page = existsSync(file) ? readFileSync(file, 'utf8') : NEW_PAGE;
  writeFileSync(file, pageWith(page, name, text));
}

export function pageWith(page: string, name: string, text: string): string {
  const begin = `<!-- ${name}: begin (written by the command below) -->`;
  const end = `<!-- ${name}: end -->`;
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  const block = `${begin}\n\n${text}\n\n${end}`;
  if (from === -1 || to < from) return `${page.trimEnd()}\n\n${block}\n`;
  return `${page.slice(0, from)}${block}${page.slice(to + end.length)}`;
}
