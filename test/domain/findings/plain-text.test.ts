import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { oneLine, plainJson, severalLines } from '../../../domain/findings/plain-text.js';

const HOSTILE = '\u001b]52;c;aGk=\u0007\u001b[2J\u202egood\u200b\u2028next\ud800\u0085';
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

/** Any text, and often one made of harmful characters. */
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom(...Array.from(HOSTILE), '\n', '\r', '\t', 'a'))
    .map((parts) => parts.join('')),
);

describe('an untrusted text', () => {
  it('contains nothing in one line that a terminal interprets or hides', () => {
    expect(oneLine(`a\n\u001b[2J✔ all is well\tb`)).toBe('a \ufffd[2J✔ all is well b');
    expect(oneLine('Zürich, 東京, 🚀 stay')).toBe('Zürich, 東京, 🚀 stay');
    fc.assert(
      fc.property(texts, (text) => {
        expect(oneLine(text)).not.toMatch(UNSEEN);
      }),
    );
  });

  it('keeps line ends and tabs in several lines', () => {
    expect(severalLines('a:\r\n\tb\n\u001b[31mc')).toBe('a:\n\tb\n\ufffd[31mc');
    fc.assert(
      fc.property(texts, (text) => {
        expect(severalLines(text).replaceAll(/[\n\t]/g, '')).not.toMatch(UNSEEN);
      }),
    );
  });

  it('keeps its value in JSON, with all of that escaped', () => {
    expect(plainJson({ a: '\u202e\u{e0001}' })).toBe(String.raw`{"a":"\u202e\udb40\udc01"}`);
    fc.assert(
      fc.property(texts, fc.constantFrom(0, 2), (text, indent) => {
        const json = plainJson({ text }, indent);
        expect(JSON.parse(json)).toEqual({ text });
        expect(json.replaceAll('\n', '')).not.toMatch(UNSEEN);
      }),
    );
  });
});
