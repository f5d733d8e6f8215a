/**
 * Counts TypeScript files and lines of code: a line with nothing but blanks or a comment is none.
 * Usage: node tools/count-lines.mjs [FOLDER …]; without folders, product, testbed and tests.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const GROUPS = {
  product: ['domain', 'activities', 'workflows', 'workers', 'config', 'cli'],
  testbed: ['testbed', 'devserver', 'simulator', 'lab', 'bench'],
  tests: ['test'],
};

/** Lines of `text` on which a token begins or goes on. */
function codeLines(text) {
  const source = ts.createSourceFile('counted.ts', text, ts.ScriptTarget.Latest);
  const lines = new Set();
  const visit = (node) => {
    if (node.getChildCount(source) === 0) {
      const first = source.getLineAndCharacterOfPosition(node.getStart(source)).line;
      const last = source.getLineAndCharacterOfPosition(node.getEnd()).line;
      for (let line = first; line <= last && node.getWidth(source) > 0; line += 1) lines.add(line);
    }
    for (const child of node.getChildren(source)) {
      if (!ts.isJSDoc(child)) visit(child);
    }
  };
  visit(source);
  return lines.size;
}

function count(folder) {
  const found = existsSync(folder) ? readdirSync(folder, { recursive: true }) : [];
  const files = found.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name));
  const texts = files.map((file) => readFileSync(file, 'utf8'));
  const code = texts.reduce((sum, text) => sum + codeLines(text), 0);
  const longest = Math.max(0, ...texts.map((text) => text.split('\n').length - 1));
  return { files: files.length, code, longest };
}

function sum(counts) {
  const files = counts.reduce((total, each) => total + each.files, 0);
  const code = counts.reduce((total, each) => total + each.code, 0);
  return { files, code, longest: Math.max(0, ...counts.map(({ longest }) => longest)) };
}

function line(name, { files, code, longest }) {
  return `${name.padEnd(12)} ${String(files).padStart(5)} files ${String(code).padStart(7)} lines of code, longest file ${longest} lines`;
}

const asked = process.argv.slice(2);
for (const [group, folders] of asked.length > 0 ? [['', asked]] : Object.entries(GROUPS)) {
  const rows = folders
    .map((folder) => [folder, count(folder)])
    .filter(([, { files }]) => files > 0);
  for (const [folder, counts] of rows) console.log(line(folder, counts));
  if (rows.length > 1) console.log(line(group || 'all', sum(rows.map(([, counts]) => counts))));
}
