import { describe, expect, it } from '@jest/globals';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { failure } from '../../../activities/failures.js';
import { createTheme } from '../../../cli/terminal/theme.js';
import { processTerminal, shown } from '../../../cli/terminal/terminal.js';
import { makeFinding } from '../../../domain/findings/catalogue.js';

const HOSTILE = ['\u001b', ']', '52;', '[', '2J', '31m', '8m', '\u0007', '\u202e', '\u009b', '\r'];
// eslint-disable-next-line no-control-regex -- these sequences are allowed through
const STYLED = /\u001b\[(?:0|1|22|31|32|33|39|90)m/g;
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.array(fc.constantFrom(...HOSTILE, 'a', '\n')).map((parts) => parts.join('')),
);

describe('the terminal', () => {
  it('the terminal gets no control characters except the styles of the theme', async () => {
    const [stdin, out, err] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const streams = [stdin, out, err] as unknown as [
      NodeJS.ReadStream,
      NodeJS.WriteStream,
      NodeJS.WriteStream,
    ];
    const terminal = processTerminal(...streams);
    fc.assert(
      fc.property(texts, (given) => {
        terminal.out(given);
        terminal.err(given);
      }),
    );
    out.end();
    err.end();
    for (const written of [await text(out), await text(err)]) {
      expect(written.replaceAll(STYLED, '').replaceAll(/[\n\t]/g, '')).not.toMatch(UNSEEN);
    }
  });

  it('the terminal shows the styles of the theme unchanged', () => {
    const theme = createTheme({ color: true, ascii: false });
    const tones = ['good', 'bad', 'warn', 'quiet', 'strong', 'added', 'removed'] as const;
    for (const tone of tones) {
      const painted = theme.paint(tone, 'text');
      expect(shown(painted)).toBe(painted);
    }
  });
});

describe('a question', () => {
  async function answered(act: (stdin: PassThrough, leave: () => void) => void): Promise<string> {
    const [stdin, out, err] = [new PassThrough(), new PassThrough(), new PassThrough()];
    const streams = [stdin, out, err] as unknown as Parameters<typeof processTerminal>;
    const leaving = new AbortController();
    const answer = processTerminal(...streams).ask('Continue? ', leaving.signal);
    act(stdin, () => leaving.abort());
    return answer;
  }

  it('is answered by a line', async () => {
    expect(await answered((stdin) => stdin.write('yes\n'))).toBe('yes');
  });

  it('is answered with nothing where the input ends', async () => {
    expect(await answered((stdin) => stdin.end())).toBe('');
  });

  it('ends with an interruption', async () => {
    await expect(answered((_stdin, leave) => leave())).rejects.toThrow(/abort/i);
  });
});

describe('text from an untrusted source', () => {
  const forged = 'x\n\u001b[32m✔ check: nothing stands in the way\u001b[39m';

  it('untrusted text in a finding starts no line and has no colour', () => {
    const { subject, seen } = makeFinding('CCM1207', { subject: forged, seen: forged });
    for (const each of [subject, seen]) expect(each).not.toMatch(UNSEEN);
  });

  it('untrusted text in a failure has no colour', () => {
    expect(failure('Forbidden', forged).message).not.toContain('\u001b');
  });
});
