import { describe, expect, it } from '@jest/globals';
import { openEnvelope } from '../../../activities/authority/signed-statement.js';
import type { AccessPolicy, FidoKey } from '../../../domain/authority/access-policy.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import { wholeStatement } from '../../../domain/authority/statement.js';
import type { Tap } from '../../support/fido-token.js';
import {
  accessPolicy,
  signedByFile,
  tappedEnvelope,
  testPrincipal,
} from '../../support/signing.js';

const ANA = testPrincipal('ana', 'requester');
const STATEMENT = wholeStatement({
  ...{ verb: 'apply', workflowId: 'w', nonce: 'n', notBefore: 1, notAfter: 2 },
});
const TOUCH = { application: 'ssh:', pin: false };

/** A policy in which the key of ana is this FIDO key, or none. */
const trusting = (fido: FidoKey | null): AccessPolicy =>
  accessPolicy([
    { ...ANA, keys: ANA.keys.map((key) => ({ ...key, ...(fido === null ? {} : { fido }) })) },
  ]);

/** 'signed', or why not. */
function opened(envelope: Envelope, fido: FidoKey | null = TOUCH): string {
  const found = openEnvelope(trusting(fido), envelope);
  return found.kind === 'signed' ? found.by.name : found.why;
}

const tap = (how: Tap = {}): Envelope => tappedEnvelope(ANA, STATEMENT, how);

/** The same with its signature as these bytes. */
function withBytes(envelope: Envelope, change: (bytes: Buffer) => Buffer): Envelope {
  const [signature] = envelope.signatures;
  const bytes = change(Buffer.from(signature?.sig ?? '', 'base64'));
  return {
    ...envelope,
    signatures: [{ keyid: signature?.keyid ?? '', sig: bytes.toString('base64') }],
  };
}

const flipped =
  (place: number) =>
  (bytes: Buffer): Buffer => {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(place) ^ 1, place);
    return changed;
  };

describe('a signature of a FIDO key', () => {
  it.each<[string, Envelope, FidoKey | null, string]>([
    ['that was touched is its principal', tap(), TOUCH, 'ana'],
    ['counts as it likes', tap({ counter: 0xffffffff }), TOUCH, 'ana'],
    ['may have asked for more than it must', tap({ flags: 0x85 }), TOUCH, 'ana'],
    ['with its PIN', tap({ flags: 5 }), { ...TOUCH, pin: true }, 'ana'],
    ['without a touch', tap({ flags: 0 }), TOUCH, 'its key signed without a touch'],
    ['with a PIN and no touch', tap({ flags: 4 }), TOUCH, 'its key signed without a touch'],
    ['without its PIN', tap(), { ...TOUCH, pin: true }, 'its key signed without its PIN'],
    ['for another application', tap({ application: 'ssh:other' }), TOUCH, 'its signature is wrong'],
    ['of a web site', tap({ application: 'example.com' }), TOUCH, 'its signature is wrong'],
    ['that is one of a file', signedByFile(ANA, STATEMENT), TOUCH, 'its signature is wrong'],
    ['where the policy names a file', tap(), null, 'its signature is wrong'],
  ])('%s', (_case, envelope, fido, expected) => {
    expect(opened(envelope, fido)).toBe(expected);
  });

  it('is spoiled by each changed, missing and added byte', () => {
    const { signatures } = tap();
    const { length } = Buffer.from(signatures[0]?.sig ?? '', 'base64');
    const changes = [
      ...Array.from({ length }, (_, place) => flipped(place)),
      (bytes: Buffer) => bytes.subarray(0, -1),
      (bytes: Buffer) => bytes.subarray(0, 64),
      (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(0)]),
      () => Buffer.of(1),
    ];
    const said = changes.map((change) => opened(withBytes(tap(), change)));
    expect([...new Set(said)]).toEqual(['its signature is wrong']);
  });

  it('is of one statement', () => {
    const other = { ...STATEMENT, nonce: 'm' };
    const { payload } = tappedEnvelope(ANA, other);
    expect(opened({ ...tap(), payload })).toBe('its signature is wrong');
  });
});
