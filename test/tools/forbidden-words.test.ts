import { describe, expect, it } from '@jest/globals';
import { Linter } from 'eslint';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import tseslint from 'typescript-eslint';
import { forbiddenWords } from '../../tools/eslint/forbidden-words.js';

interface List {
  readonly text: readonly { readonly pattern: string; readonly use: string }[];
  readonly identifiers: readonly { readonly words: readonly string[]; readonly use: string }[];
}

const list = JSON.parse(
  readFileSync(new URL('../../tools/eslint/forbidden-words.json', import.meta.url), 'utf8'),
) as List;

const ROOT = join(import.meta.dirname, '../..');
/** The change log is left out: it names what was renamed. */
const PAGES = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .map((name) => join('docs', name))
  .concat('README.md', 'CONTRIBUTING.md')
  .filter((name) => name.endsWith('.md'));

/** What the rule finds in a text, as `line:column word`. */
function found(text: string, file = 'domain/a.ts'): readonly string[] {
  const linter = new Linter();
  const messages = linter.verify(
    text,
    [
      {
        files: ['**/*.ts', '**/*.mjs'],
        languageOptions: { parser: tseslint.parser },
        plugins: { house: { rules: { 'forbidden-words': forbiddenWords } } },
        rules: { 'house/forbidden-words': 'error' },
      },
    ],
    { filename: file },
  );
  return messages.map(({ line, column, message }) => {
    const [, word = message] = /^"(.*)" is not a word of this project: use \S/.exec(message) ?? [];
    return `${String(line)}:${String(column)} ${word}`;
  });
}

describe('forbidden words', () => {
  it.each<readonly [name: string, text: string, words: readonly string[]]>([
    ['a line comment', '// Read it anew.', ['1:12 anew']],
    ['a block comment', '/**\n * Nobody may.\n */', ['2:4 Nobody']],
    ['a phrase over two lines of a block', '/*\n * told\n * apart */', ['2:4 told apart']],
    ['a phrase over two line comments', '// lets go\n// of it', ['1:4 lets go of']],
    ['a string', "const a = 'it shall';", ['1:15 shall']],
    ['a template', 'const a = `by ${b} and somebody`;', ['1:24 somebody']],
    ['the start of a name', 'lookAgain();', ['1:1 look']],
    ['the end of a name', 'const firstLook = 1;', ['1:12 Look']],
    ['a constant', 'const LOOK_MS = 1;', ['1:7 LOOK']],
    ['a type and its member', 'interface RunWish { readonly wish: A }', ['1:14 Wish', '1:30 wish']],
    ['a private member', 'class A { #witness = 1; }', ['1:11 witness']],
    ['two in one name', 'const looksAnew = 1;', ['1:7 looks', '1:12 Anew']],
  ])('are found in %s', (_name, text, words) => {
    expect(found(text)).toEqual(words);
  });

  it.each([
    ['the verb', '// It looks at the node, then looks again.'],
    ['a longer word', '// Marshalling stands; the lookup of a legend.'],
    ['a longer name', 'const lookup = troubleshooting + indoors;'],
    ['line comments apart', '// lets go\n\n// of it'],
    ['a regular expression', 'const a = /anew/;'],
  ])('are not found in %s', (_name, text) => {
    expect(found(text)).toEqual([]);
  });

  it('"stage" means an environment in tests, and is a term of audit events in the lab’s', () => {
    expect(found('openStage();', 'test/domain/a.test.ts')).toEqual(['1:5 Stage']);
    expect(found('openStage();', 'domain/a.ts')).toEqual([]);
    expect(found('openStage();', 'test/testbed/lab/a.test.ts')).toEqual([]);
  });

  it('each word of the list is found, in plain JavaScript too', () => {
    for (const { words } of list.identifiers) {
      for (const word of words) {
        expect(found(`export const ${word} = 1;`, 'test/a.mjs')).toEqual([`1:14 ${word}`]);
      }
    }
  });

  it('each entry names the words to use', () => {
    for (const { use } of [...list.text, ...list.identifiers]) expect(use).toMatch(/\w/);
  });
});

it('the pages of the documentation contain no forbidden words', () => {
  expect(PAGES.length).toBeGreaterThan(10);
  // A page is read as one comment, which no part of it may end.
  const words = PAGES.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8').replaceAll('*/', '* ');
    return found(`/*\n${text}\n*/`).map((word) => `${page} ${word}`);
  });
  expect(words).toEqual([]);
});
