import { describe, expect, it } from '@jest/globals';
import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import { oidcKeyId, principalOfKey } from '../../../domain/authority/access-policy.js';
import {
  type Envelope,
  LONGEST_TOKEN,
  readEnvelope,
} from '../../../domain/authority/signed-envelope.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import { ISSUER } from '../../support/signing.js';
import { tokenOf } from '../../support/token-issuer.js';
import {
  FOR_OTHER,
  FORGED,
  KEY_ID,
  NO_TOKEN,
  OTHER,
  RSA,
  SUBJECT,
  tokenCases,
  TokenSigning,
  trustedTokens,
  UNKNOWN,
  upTo,
} from './token-cases.contract.js';

const STATEMENT = wholeStatement({
  ...{ verb: 'apply', workflowId: 'w', nonce: 'n' },
  ...{ notBefore: 1_800_000_000, notAfter: 1_800_003_600 },
});
const SIGNING = new TokenSigning(STATEMENT);

/** The name of who signed, or why no one did. */
function opened(envelope: Envelope, access = trustedTokens()): string {
  const found = openEnvelope(access, envelope);
  return found.kind === 'signed' ? found.by.name : found.why;
}

describe('a token that signs a statement', () => {
  it.each(tokenCases(STATEMENT))('%s', (_case, envelope, expected) => {
    expect(opened(envelope)).toBe(expected);
  });

  it('may name it in the nonce only where the policy says for which audience', () => {
    const envelope = SIGNING.saying({ aud: 'ci', nonce: SIGNING.audience });
    expect(opened(envelope)).toBe('ci');
    expect(opened(envelope, trustedTokens([]))).toBe(FOR_OTHER);
  });

  it('is carried where it is not too long', () => {
    const sized = (length: number) => SIGNING.carrying(upTo(length, SIGNING.all));
    expect(readEnvelope(sized(LONGEST_TOKEN))).not.toBeNull();
    expect(readEnvelope(sized(LONGEST_TOKEN + 4))).toBeNull();
  });

  it.each<[string, string, string]>([
    ['another subject', oidcKeyId(ISSUER, 'repo:org/tests'), 'its token is of another subject'],
    ['another issuer', oidcKeyId(OTHER, SUBJECT), UNKNOWN],
    ['no one', oidcKeyId(ISSUER, 'x'), 'its key is not in the policy'],
  ])('is not one of %s, who sent it', (_, keyid, why) => {
    const good = SIGNING.saying({});
    const [{ sig } = { sig: '' }] = good.signatures;
    expect(opened({ ...good, signatures: [{ keyid, sig }] })).toBe(why);
  });

  it('is of a key as any other: known by issuer and subject, and revoked', () => {
    const access = trustedTokens();
    expect(principalOfKey(access, KEY_ID)?.principal.name).toBe('ci');
    const principals = access.principals.map((each) => ({
      ...each,
      keys: each.keys.map((key) => ({ ...key, revoked: true })),
    }));
    expect(openEnvelope({ ...access, principals }, SIGNING.saying({}))).toMatchObject({
      ...{ kind: 'signed', isRevoked: true },
    });
  });

  it('is spoiled by each changed byte', () => {
    const bytes = Buffer.from(tokenOf(RSA, SIGNING.all));
    const said = Array.from(bytes, (_, place) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
      return opened(SIGNING.carrying(changed));
    });
    expect([...new Set(said)].sort()).toEqual([FORGED, NO_TOKEN, UNKNOWN].sort());
  });
});
