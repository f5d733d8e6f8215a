import { readFileSync } from 'node:fs';
import { relative, sep } from 'node:path';

const LIST = JSON.parse(readFileSync(new URL('forbidden-words.json', import.meta.url), 'utf8'));

/** Words of a phrase may be parted by a line end inside a comment. */
const PHRASES = LIST.text.map(({ pattern, use }) => {
  const acrossLines = pattern.replaceAll(' ', String.raw`(?:\s|\*|//)+`);
  return { expression: new RegExp(String.raw`\b(?:${acrossLines})\b`, 'gi'), use };
});

/** Part of a name → what to use instead, and where it is forbidden. */
const PARTS = new Map(
  LIST.identifiers.flatMap(({ words, ...entry }) => words.map((word) => [word, entry])),
);

const TEXTS = new Set(['String', 'Template']);
const NAMES = new Set(['Identifier', 'PrivateIdentifier']);

/**
 * One word for one thing: an operator's or engineer's, and none of a private dialect. Reads comments, string text and
 * each part of an identifier; the list beside this file names the word to use for each.
 */
export const forbiddenWords = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { forbidden: '"{{found}}" is not a word of this project: use {{use}}.' },
  },
  create(context) {
    const { sourceCode, cwd } = context;
    const path = relative(cwd, context.filename).split(sep).join('/');
    const report = (start, found, use) => {
      const [from, to] = [start, start + found.length];
      const loc = { start: sourceCode.getLocFromIndex(from), end: sourceCode.getLocFromIndex(to) };
      context.report({ loc, messageId: 'forbidden', data: { found: oneLine(found), use } });
    };
    return {
      Program({ tokens }) {
        for (const text of [...commentTexts(sourceCode), ...tokens.filter(isText)]) {
          checkText(sourceCode.text.slice(...text.range), text.range[0], report);
        }
        for (const name of tokens.filter(isName)) checkName(name, path, report);
      },
    };
  },
};

const isText = ({ type }) => TEXTS.has(type);
const isName = ({ type }) => NAMES.has(type);
const oneLine = (found) => found.replace(/[\s*/]+/g, ' ');

function checkText(text, start, report) {
  for (const { expression, use } of PHRASES) {
    for (const { index, 0: found } of text.matchAll(expression)) report(start + index, found, use);
  }
}

/** `lookAgainAt`, `LOOK_MS` and `look_host` all have the part `look`; `lookup` has not. */
function checkName({ value, range }, path, report) {
  for (const { index, 0: part } of value.matchAll(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g)) {
    const entry = PARTS.get(part.toLowerCase());
    if (entry === undefined || !isForbiddenIn(path, entry)) continue;
    report(range[0] + index, part, entry.use);
  }
}

const isForbiddenIn = (path, { only = '', except }) =>
  path.startsWith(only) && (except === undefined || !path.startsWith(except));

/** Comments by themselves, but `//` lines that follow each other as one text: a phrase may go on in the next line. */
function commentTexts(sourceCode) {
  const texts = [];
  for (const { type, loc, range } of sourceCode.getAllComments()) {
    const last = texts.at(-1);
    const goesOn = type === 'Line' && last?.type === 'Line' && last.line === loc.start.line - 1;
    if (goesOn) Object.assign(last, { line: loc.end.line, range: [last.range[0], range[1]] });
    else texts.push({ type, line: loc.end.line, range: [...range] });
  }
  return texts;
}
