import { createHmac, createPublicKey } from 'node:crypto';
import { preAuthenticated } from '../../../activities/authority/signatures.js';
import {
  type AccessPolicy,
  oidcKeyId,
  type TokenIssuer,
} from '../../../domain/authority/access-policy.js';
import {
  type Envelope,
  LONGEST_TOKEN,
  PAYLOAD_TYPE,
} from '../../../domain/authority/signed-envelope.js';
import { type Statement, statementText } from '../../../domain/authority/statement.js';
import { accessPolicy, ISSUER, tokenEnvelope } from '../../support/signing.js';
import {
  audienceOf,
  issuerOf,
  jsonPart,
  newIssuerKey,
  type Says,
  tokenOf,
} from '../../support/token-issuer.js';

export const RSA = newIssuerKey('rsa-1', 'RS256');
const EC = newIssuerKey('ec-1', 'ES256');
const ED = newIssuerKey('ed-1', 'EdDSA');
/** Of the other issuer of the policy. */
const OTHERS = newIssuerKey('others-1', 'ES256');
/** Of no issuer, although it says so. */
const STRANGE = newIssuerKey('rsa-1', 'RS256');

export const OTHER = 'https://other.example';
export const SUBJECT = 'repo:org/clusters:environment:production';
export const KEY_ID = oidcKeyId(ISSUER, SUBJECT);
const OTHER_AUDIENCE = audienceOf(Buffer.from('another statement'));

/** What may be in `aud` while `nonce` names the statement. */
const AUDIENCES = ['web', 'ci'];

/** The issuers as a file of a policy describes them. */
export const WRITTEN_ISSUERS = [
  { issuer: ISSUER, keys: [RSA.jwk, EC.jwk, ED.jwk], audience: AUDIENCES },
  { issuer: OTHER, keys: [OTHERS.jwk] },
];

/** In which `ci` and `tests` are subjects of one issuer, and `other` has the subject of `ci` at another. */
export function trustedTokens(audience: readonly string[] = AUDIENCES): AccessPolicy {
  const keyOf = (issuer: TokenIssuer, subject: string) => ({
    ...{ keyId: oidcKeyId(issuer.issuer, subject), revoked: false },
    oidc: { issuer, subject },
  });
  const [own, others] = [issuerOf(ISSUER, [RSA, EC, ED], audience), issuerOf(OTHER, [OTHERS])];
  const grants = [{ roles: ['requester'] as const, clusters: {}, fleets: null }];
  return accessPolicy([
    { name: 'ci', keys: [keyOf(own, SUBJECT)], grants },
    { name: 'tests', keys: [keyOf(own, 'repo:org/tests')], grants },
    { name: 'other', keys: [keyOf(others, SUBJECT)], grants },
  ]);
}

/** The last character of a part has bits that no byte needs. */
function respelled(part: string): string {
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return part.slice(0, -1) + (digits[digits.indexOf(part.slice(-1)) ^ 1] ?? '');
}

/** With the public key, which everyone has, as the secret. */
function signedByHmac(payload: string): string {
  const signed = `${jsonPart({ alg: 'HS256', kid: RSA.kid })}.${payload}`;
  const secret = createPublicKey(RSA.key).export({ type: 'spki', format: 'pem' });
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}

/** A token that says all this, as long as it can be. */
export function upTo(length: number, claims: Says): string {
  const bare = tokenOf(RSA, { ...claims, pad: '' });
  const grown = Math.floor(((length - bare.length) * 3) / 4);
  const near = [3, 2, 1, 0].map((less) =>
    tokenOf(RSA, { ...claims, pad: 'x'.repeat(grown - less) }),
  );
  return near.filter((each) => each.length <= length).at(-1) ?? '';
}

export const FORGED = 'its token is not signed by its issuer';
export const NO_TOKEN = 'its signature is not a token that is taken here';
export const UNKNOWN = 'the key of its token is not in the policy';
export const FOR_OTHER = 'its token is for another statement';
const UNTIMELY = 'its token was made outside the time of the statement';
const OF_OTHER = 'its token is of another subject';
const OF_ISSUER = 'its token is of another issuer';

/** Signs a statement with a token that says so. */
export class TokenSigning {
  readonly #statement: Statement;
  readonly #bytes: Buffer;
  readonly audience: string;
  readonly all: Says;

  constructor(statement: Statement) {
    this.#statement = statement;
    this.#bytes = Buffer.from(statementText(statement));
    this.audience = audienceOf(preAuthenticated(PAYLOAD_TYPE, this.#bytes));
    const { notBefore: iat } = statement;
    this.all = { iss: ISSUER, sub: SUBJECT, aud: this.audience, iat, exp: iat + 300 };
  }

  saying(claims: Says, header: Says | string = {}, made = RSA): Envelope {
    const owner = { keyId: KEY_ID, made, subject: SUBJECT };
    return tokenEnvelope(owner, this.#statement, claims, header);
  }

  /** An envelope with this token, or whatever it is. */
  carrying(token: string | Buffer): Envelope {
    const sig = Buffer.from(token).toString('base64');
    const payload = this.#bytes.toString('base64');
    return { payloadType: PAYLOAD_TYPE, payload, signatures: [{ keyid: KEY_ID, sig }] };
  }
}

/** What was done, and what workers say of it: `ci` where its signature is right. */
export type TokenCase = readonly [title: string, envelope: Envelope, said: string];

export function tokenCases(statement: Statement): readonly TokenCase[] {
  const { notBefore: NOT_BEFORE, notAfter: NOT_AFTER } = statement;
  const signing = new TokenSigning(statement);
  return [...claimCases(signing, NOT_BEFORE, NOT_AFTER), ...textCases(signing)];
}

function claimCases(
  signing: TokenSigning,
  NOT_BEFORE: number,
  NOT_AFTER: number,
): readonly TokenCase[] {
  const { audience: AUDIENCE } = signing;
  const saying: TokenSigning['saying'] = (...given) => signing.saying(...given);
  return [
    ['that says what it must, with RS256', saying({}), 'ci'],
    ['that says what it must, with ES256', saying({}, {}, EC), 'ci'],
    ['that says what it must, with EdDSA', saying({}, {}, ED), 'ci'],
    ['that says nothing of its type', saying({}, { typ: undefined }), 'ci'],
    ['that names the certificate of its key', saying({}, { x5t: 'abc', 'x5t#S256': 'abc' }), 'ci'],
    ['that has its audience in a list', saying({ aud: [AUDIENCE] }), 'ci'],
    ['that has expired long ago', saying({ exp: NOT_BEFORE + 1 }), 'ci'],
    ['that was made a minute early', saying({ iat: NOT_BEFORE - 60 }), 'ci'],
    ['that was made at the last moment', saying({ iat: NOT_AFTER, exp: NOT_AFTER + 1 }), 'ci'],
    ['that says more than it must', saying({ jti: 'a', nested: { iss: OTHER, aud: ['b'] } }), 'ci'],
    ['that was made before the statement', saying({ iat: NOT_BEFORE - 61 }), UNTIMELY],
    [
      'that was made after the statement',
      saying({ iat: NOT_AFTER + 1, exp: NOT_AFTER + 2 }),
      UNTIMELY,
    ],
    ['that does not say when it was made', saying({ iat: undefined }), NO_TOKEN],
    ['that was made at a fraction', saying({ iat: NOT_BEFORE + 0.5 }), NO_TOKEN],
    ['that was made at a text', saying({ iat: String(NOT_BEFORE) }), NO_TOKEN],
    ['that has no end', saying({ exp: undefined }), NO_TOKEN],
    ['that ends at a text', saying({ exp: 'never' }), NO_TOKEN],
    ['that ended before it was made', saying({ exp: NOT_BEFORE }), NO_TOKEN],
    ['that is for another statement', saying({ aud: OTHER_AUDIENCE }), FOR_OTHER],
    ['that is for two audiences', saying({ aud: [AUDIENCE, 'sts.example'] }), NO_TOKEN],
    ['that is for no one', saying({ aud: [] }), NO_TOKEN],
    ['that has no audience', saying({ aud: undefined }), NO_TOKEN],
    ['that has its audience within another', saying({ aud: `${AUDIENCE} ` }), FOR_OTHER],
    ['that is of another subject', saying({ sub: 'repo:org/tests' }), OF_OTHER],
    ['that is of a longer subject', saying({ sub: `${SUBJECT}x` }), OF_OTHER],
    ['that is of no subject', saying({ sub: undefined }), NO_TOKEN],
    ['that names another issuer', saying({ iss: OTHER }), OF_ISSUER],
    ['names its issuer with a slash', saying({ iss: `${ISSUER}/` }), OF_ISSUER],
    [
      'that is of another issuer with the same subject',
      saying({ iss: OTHER }, {}, OTHERS),
      UNKNOWN,
    ],
    ['that names a key of another issuer', saying({}, { kid: 'others-1' }, OTHERS), UNKNOWN],
    ['that names no key', saying({}, { kid: undefined }), NO_TOKEN],
    ['that names a key that is not there', saying({}, { kid: 'rsa-2' }), UNKNOWN],
    ['that is signed with a key of no issuer', saying({}, {}, STRANGE), FORGED],
    ['that names a key of another kind', saying({}, { kid: 'ec-1' }), FORGED],
    ['that calls its key one of another kind', saying({}, { alg: 'ES256' }), FORGED],
    ['that says RS256 of an EC key', saying({}, { alg: 'RS256' }, EC), FORGED],
    ['that says PS256', saying({}, { alg: 'PS256' }), FORGED],
    ['that wants something understood', saying({}, { crit: ['exp'] }), NO_TOKEN],
    ['that brings its own key', saying({}, { jwk: STRANGE.jwk }, STRANGE), NO_TOKEN],
    ['that says where its key is', saying({}, { jku: 'https://evil.example' }, STRANGE), NO_TOKEN],
    ['that brings a certificate', saying({}, { x5c: ['MII'] }), NO_TOKEN],
    ['that is not encoded', saying({}, { b64: false }), NO_TOKEN],
    ['that is a token of another type', saying({}, { typ: 'at+jwt' }), NO_TOKEN],

    ['that names it in its nonce', saying({ nonce: AUDIENCE, aud: 'ci' }), 'ci'],
    [
      'that names it in its nonce, for another audience',
      saying({ nonce: AUDIENCE, aud: 'x' }),
      FOR_OTHER,
    ],
    [
      'that names it in its nonce, for two audiences',
      saying({ nonce: AUDIENCE, aud: AUDIENCES }),
      NO_TOKEN,
    ],
    ['that names it in its audience, with a nonce', saying({ nonce: 'x' }), 'ci'],
    ['that names another in its nonce', saying({ nonce: OTHER_AUDIENCE, aud: 'ci' }), FOR_OTHER],
    [
      'that names it in a nonce that is no text',
      saying({ nonce: [AUDIENCE], aud: 'ci' }),
      NO_TOKEN,
    ],
  ];
}

function textCases(signing: TokenSigning): readonly TokenCase[] {
  const { all: ALL } = signing;
  const GOOD = tokenOf(RSA, ALL);
  const [HEAD = '', PAYLOAD = '', SIG = ''] = GOOD.split('.');
  const unsigned = `${jsonPart({ alg: 'none', kid: RSA.kid })}.${PAYLOAD}`;
  const made: readonly (readonly [string, string | Buffer, string])[] = [
    ['with it as it is', GOOD, 'ci'],
    ['with none at all', 'x', NO_TOKEN],
    ['with alg none', `${unsigned}.`, NO_TOKEN],
    ['with alg none and a signature', `${unsigned}.${SIG}`, FORGED],
    ['with HS256 with the public key', signedByHmac(PAYLOAD), FORGED],
    ['with something after it', `${GOOD}\n`, NO_TOKEN],
    ['with padding', `${HEAD}.${PAYLOAD}.${SIG}==`, NO_TOKEN],
    ['with base64 that is not of URLs', `${HEAD}.${PAYLOAD}.${SIG.slice(0, -1)}+`, NO_TOKEN],
    ['with another spelling of its signature', `${HEAD}.${PAYLOAD}.${respelled(SIG)}`, NO_TOKEN],
    ['with four parts', `${GOOD}.${SIG}`, NO_TOKEN],
    ['with two parts', `${HEAD}.${PAYLOAD}`, NO_TOKEN],
    ['with a mark of byte order', Buffer.from(`\ufeff${GOOD}`), NO_TOKEN],
    ['with a longer signature', `${HEAD}.${PAYLOAD}.${SIG}AAAA`, FORGED],
    ['with a shorter signature', `${HEAD}.${PAYLOAD}.AAAA`, FORGED],
    ['with claims of another token', `${HEAD}.${jsonPart({ ...ALL, exp: 2e9 })}.${SIG}`, FORGED],
    [
      'a signature in DER',
      `${tokenOf(EC, ALL).split('.').slice(0, 2).join('.')}.MAYCAQECAQE`,
      FORGED,
    ],
    [
      'with claims with a mark of byte order',
      tokenOf(RSA, `\ufeff${JSON.stringify(ALL)}`),
      NO_TOKEN,
    ],
    ['with claims that are a list', tokenOf(RSA, JSON.stringify([ALL])), NO_TOKEN],
    ['with claims that are no JSON', tokenOf(RSA, 'iss=x'), NO_TOKEN],
    ['with a claim twice', tokenOf(RSA, `{"sub":"x",${JSON.stringify(ALL).slice(1)}`), NO_TOKEN],
    [
      'with a claim twice, escaped',
      tokenOf(RSA, `{"s\\u0075b":"x",${JSON.stringify(ALL).slice(1)}`),
      NO_TOKEN,
    ],
    [
      'with a member of the header twice',
      tokenOf(RSA, ALL, `{"alg":"none","alg":"RS256","kid":"rsa-1"}`),
      NO_TOKEN,
    ],
    [
      'with a header with a mark of byte order',
      tokenOf(RSA, ALL, '\ufeff{"alg":"RS256"}'),
      NO_TOKEN,
    ],
    [
      'with claims with colons and quotes in texts',
      tokenOf(RSA, { ...ALL, a: ':"x":\\', b: [':', '{"c":1}'] }),
      'ci',
    ],
    ['with claims nested without end', tokenOf(RSA, '['.repeat(9000)), NO_TOKEN],
    ['with up to 8 KiB', upTo(LONGEST_TOKEN, ALL), 'ci'],
    ['with more than 8 KiB', upTo(LONGEST_TOKEN + 4, ALL), NO_TOKEN],
  ];
  return made.map(([title, token, said]) => [title, signing.carrying(token), said]);
}
