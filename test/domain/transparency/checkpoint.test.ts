import { describe, expect, it } from '@jest/globals';
import {
  checkpointBody,
  isLogOrigin,
  noteText,
  readCheckpoint,
} from '../../../domain/transparency/checkpoint.js';

const CHECKPOINT = {
  origin: 'logs.example.com/ccm-migrate',
  size: 300,
  root: 'yjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg=',
};
const BODY = checkpointBody(CHECKPOINT);
const SIGNATURE = { name: CHECKPOINT.origin, value: 'nKUOGHy+' };
const NOTE = noteText(BODY, [SIGNATURE]);

describe('a checkpoint', () => {
  it('is read as it was written', () => {
    expect(readCheckpoint(NOTE)).toEqual({ ...CHECKPOINT, body: BODY, signatures: [SIGNATURE] });
    const witnessed = noteText(BODY, [SIGNATURE, { name: 'witness', value: 'AAAA' }]);
    expect(readCheckpoint(witnessed)?.signatures).toHaveLength(2);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no signature', `${BODY}\n`],
    ['no end', NOTE.slice(0, -1)],
    ['more after it', `${NOTE}\n`],
    ['a fourth line', NOTE.replace('\n\n', '\nmore\n\n')],
    ['no root', NOTE.replace(`${CHECKPOINT.root}\n`, '')],
    ['a short root', NOTE.replace('yjk9', '')],
    ['a size that is written otherwise', NOTE.replace('\n300\n', '\n0300\n')],
    ['a negative size', NOTE.replace('\n300\n', '\n-1\n')],
    ['a size beyond all numbers', NOTE.replace('\n300\n', `\n${'9'.repeat(16)}\n`)],
    ['a name with a space', NOTE.replace('logs.', 'logs .')],
    ['returns', NOTE.replaceAll('\n', '\r\n')],
    ['a signature that is none', NOTE.replace('— ', '- ')],
    ['more signatures than any log has', `${NOTE}${`— x AAAA\n`.repeat(16)}`],
  ])('is not read from %s', (_case, text) => {
    expect(readCheckpoint(text)).toBeNull();
  });

  it.each<[string, boolean]>([
    ['logs.example.com/ccm-migrate', true],
    ['', false],
    ['two words', false],
    ['two\nlines', false],
    ['a+b', false],
    ['x'.repeat(129), false],
  ])('has an origin such as %j: %s', (text, isOrigin) => {
    expect(isLogOrigin(text)).toBe(isOrigin);
  });
});
