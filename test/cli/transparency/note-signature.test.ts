import { describe, expect, it } from '@jest/globals';
import {
  isNoteSigned,
  noteVerifierKey,
  signNote,
} from '../../../cli/transparency/note-signature.js';
import {
  checkpointBody,
  noteText,
  readCheckpoint,
  type SignedCheckpoint,
} from '../../../domain/transparency/checkpoint.js';
import { logKey, ORIGIN } from '../../support/anchored-log.js';

/** Made with golang.org/x/mod/sumdb/note (v0.43.0) from the same key. */
const VERIFIER_KEY = `${ORIGIN}+9ca50e18+AVmy/ksrUmpgzMDfCnAp7YTLwtiUJmQskBgH41C0CZst`;
const SIGNED = `${ORIGIN}
300
yjk9Apa+xeC43KuYO9H7fRRh9RLnJny4ljGtJv1m2Eg=

— ${ORIGIN} nKUOGHy+X1MG1q9/RFhWC5xa0wcu+UsIy1/pG5/F6kHGt57n4PMdDO4rQvnXMX5UpL2F/jCRmdBt5+8MGKapEVIntw8=
`;

function checkpoint(text: string): SignedCheckpoint {
  const read = readCheckpoint(text);
  if (read === null) throw new Error('no checkpoint');
  return read;
}

describe('the signature of a log', () => {
  it('is what another implementation writes', () => {
    const { body } = checkpoint(SIGNED);
    expect(noteText(body, [signNote(body, ORIGIN, logKey())])).toBe(SIGNED);
    expect(noteVerifierKey(ORIGIN, logKey())).toBe(VERIFIER_KEY);
  });

  it('holds, also beside those of others', () => {
    const { body } = checkpoint(SIGNED);
    expect(isNoteSigned(checkpoint(SIGNED), logKey().publicKey)).toBe(true);
    const others = signNote(body, 'others.example.com', logKey('others'));
    const both = noteText(body, [others, signNote(body, ORIGIN, logKey())]);
    expect(isNoteSigned(checkpoint(both), logKey().publicKey)).toBe(true);
  });

  it.each<[string, string]>([
    [
      'another key',
      noteText(checkpoint(SIGNED).body, [
        signNote(checkpoint(SIGNED).body, ORIGIN, logKey('thief')),
      ]),
    ],
    ['another name', SIGNED.replace(`— ${ORIGIN}`, '— logs.example.com/other')],
    ['another size', SIGNED.replace('\n300\n', '\n301\n')],
    ['another origin', SIGNED.replace(`${ORIGIN}\n`, 'other\n')],
    ['the id of another key', SIGNED.replace('nKUOGHy', 'nKUOGXy')],
    ['half a signature', SIGNED.replace('mdBt5+8MGKapEVIntw8=', '')],
  ])('does not hold under %s', (_case, text) => {
    expect(isNoteSigned(checkpoint(text), logKey().publicKey)).toBe(false);
  });

  it('of a key without its id is none', () => {
    const { body } = checkpoint(SIGNED);
    const own = Buffer.from(signNote(body, ORIGIN, logKey()).value, 'base64');
    const nameless = Buffer.concat([Buffer.alloc(4), own.subarray(4)]).toString('base64');
    const note = noteText(body, [{ name: ORIGIN, value: nameless }]);
    expect(isNoteSigned(checkpoint(note), logKey().publicKey)).toBe(false);
  });

  it('of a checkpoint is made over these three lines', () => {
    const { origin, size, root } = checkpoint(SIGNED);
    expect(SIGNED.startsWith(`${checkpointBody({ origin, size, root })}\n— `)).toBe(true);
  });
});
