import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Certificate } from 'pkijs';
import { askTimestamp, timestampAddress } from '../../../cli/transparency/ask-timestamp.js';
import {
  answersQuery,
  readTimestamp,
  timestampedAt,
  timestampQuery,
} from '../../../cli/transparency/timestamp-token.js';
import { type TimestampAuthority, timestampAuthority } from '../../support/timestamp-authority.js';

const TEXT = 'logs.example.com/ccm-migrate\n3\nAAAA\n';

let root: string;
let authority: TimestampAuthority;
let other: TimestampAuthority;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ccm-migrate-timestamps-'));
  authority = await timestampAuthority(await mkdtemp(join(root, 'one-')));
  other = await timestampAuthority(await mkdtemp(join(root, 'other-')));
});
afterAll(() => rm(root, { recursive: true }));

const der = (pem: string) => new X509Certificate(pem).raw.toString('base64');

async function answered(text = TEXT): Promise<Buffer> {
  return authority.answer(timestampQuery(text).der);
}

describe('a timestamp', () => {
  it('says when its authority had seen a text', async () => {
    const answer = readTimestamp(await answered());
    for (const trusted of [authority.root, authority.intermediate]) {
      const at = await timestampedAt(answer, TEXT, [der(other.root), der(trusted)]);
      expect(at).toMatch(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/);
    }
    expect(await timestampedAt(answer, TEXT, null)).toMatch(/Z$/);
  });

  it('of another text, or of an authority that no one trusts, proves nothing', async () => {
    const answer = readTimestamp(await answered());
    const trusted = [der(authority.root)];
    await expect(timestampedAt(answer, `${TEXT} `, trusted)).rejects.toThrow('another checkpoint');
    await expect(timestampedAt(answer, TEXT, [der(other.root)])).rejects.toThrow('no authority');
    await expect(timestampedAt(answer, TEXT, [])).rejects.toThrow('no authority');
  });

  it('is to its own question', async () => {
    const [query, next] = [timestampQuery(TEXT), timestampQuery(TEXT)];
    const answer = readTimestamp(await authority.answer(query.der));
    expect([answersQuery(answer, query), answersQuery(answer, next)]).toEqual([true, false]);
  });

  it.each([
    ['everything', 'not one for timestamps alone'],
    ['uncritical', 'its certificate'],
    ['timestamps', 'signed for another certificate'],
  ] as const)(
    'under another certificate of its key, for %s, proves nothing',
    async (purpose, words) => {
      // Before the answer: a certificate that is younger is not valid at its time.
      const pem = await authority.otherSigner(purpose);
      const answer = readTimestamp(await answered());
      const [, intermediate] = answer.signed.certificates ?? [];
      const other = Certificate.fromBER(new X509Certificate(pem).raw);
      answer.signed.certificates = intermediate === undefined ? [other] : [other, intermediate];
      const at = timestampedAt(answer, TEXT, [der(authority.intermediate)]);
      await expect(at).rejects.toThrow(words);
    },
  );

  it('is signed once, and has the certificate of its signer', async () => {
    const bare = readTimestamp(await answered());
    bare.signed.certificates = [];
    await expect(timestampedAt(bare, TEXT, [der(authority.intermediate)])).rejects.toThrow('its ');
    const twice = readTimestamp(await answered());
    twice.signed.signerInfos.push(...twice.signed.signerInfos);
    const at = timestampedAt(twice, TEXT, [der(authority.intermediate)]);
    await expect(at).rejects.toThrow('not signed once');
  });

  it('was made while its certificate was valid', async () => {
    const answer = readTimestamp(await answered());
    const at = timestampedAt(answer, TEXT, [der(await authority.expiredRoot())]);
    await expect(at).rejects.toThrow('was not valid then');
  });
});

describe('an authority', () => {
  it('is asked over HTTP', async () => {
    const { url, close } = await authority.serve();
    const answer = await askTimestamp(timestampAddress(url), TEXT);
    await close();
    expect(await timestampedAt(readTimestamp(answer), TEXT, [der(authority.root)])).toMatch(/Z$/);
  });

  it.each<[string, (answer: Buffer) => Buffer, string]>([
    ['something else', () => Buffer.from('<html>'), 'no answer of a timestamp authority'],
    ['a refusal', () => Buffer.from('30053003020102', 'hex'), 'refused (status 2)'],
    ['too much', () => Buffer.alloc(70_000), 'more than a timestamp'],
    ['another signature', (each) => flipped(each, each.length - 1), 'signature is wrong'],
  ])('that answers with %s has stamped nothing', async (_case, spoiled, words) => {
    const { url, close } = await authority.serve(spoiled);
    await expect(askTimestamp(timestampAddress(url), TEXT)).rejects.toThrow(words);
    await close();
  });

  it('that does not answer is named', async () => {
    const { url, close } = await authority.serve();
    await close();
    await expect(askTimestamp(timestampAddress(url), TEXT)).rejects.toThrow('cannot be reached');
  });

  it.each(['', 'authority.example', 'ftp://authority.example', 'http://me:secret@a.example'])(
    'has no address such as "%s"',
    (written) => {
      expect(() => timestampAddress(written)).toThrow('--timestamp takes');
    },
  );
});

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}
