import { z } from 'zod';
import { invalidDocument, type InvalidDocument, readOneDocument } from '../one-document.js';
import { personName } from './public-keys.js';
import { issuerKeys, PRIVATE_MEMBERS, tokenOwner } from './token-issuers.js';

/** What a policy keeps of a JWK. Issuers add certificates and words of their own, which say nothing of a key (RFC 7517, section 4). */
const KEPT = ['kid', 'kty', 'use', 'key_ops', 'alg', 'crv', 'n', 'e', 'x', 'y'] as const;

/** A JWKS (RFC 7517, section 5). A private half of any key, pinned or not, says that the whole file must not be used. */
const jwks = z.looseObject({
  keys: z.array(z.looseObject(PRIVATE_MEMBERS)).min(1).max(256),
});

/** Whose tokens are to sign, as whom. */
const whose = z.strictObject({ ...tokenOwner.shape, principal: personName });

/** A public JWK as a policy writes it. */
export type PinnedJwk = Readonly<Record<string, unknown>>;

/** What is asked for: `kids` names the keys, null for all. */
export interface WantedIssuer {
  readonly issuer: string;
  readonly subject: string;
  readonly principal: string;
  readonly kids: readonly string[] | null;
}

/** The keys of a JWKS that a policy can pin for an issuer: all that are wanted, or what is wrong, as a policy would be told it. */
export function pinnedJwks(
  text: string,
  { kids, ...named }: WantedIssuer,
): { readonly kind: 'valid'; readonly keys: readonly PinnedJwk[] } | InvalidDocument {
  const owner = readOneDocument(JSON.stringify(named), whose);
  const file = readOneDocument(text, jwks);
  if (owner.kind === 'invalid') return owner;
  if (file.kind === 'invalid') return file;
  const all = file.content.keys.map(withoutExtras);
  const wanted = all.filter(({ kid }) => kids === null || kids.some((each) => each === kid));
  const missing = (kids ?? []).filter((kid) => !all.some((each) => each['kid'] === kid));
  if (missing.length > 0) return invalidDocument(missing.map((kid) => `it has no key ${kid}`));
  const keys = readOneDocument(
    JSON.stringify({ keys: wanted }),
    z.strictObject({ keys: issuerKeys }),
  );
  if (keys.kind === 'invalid') return keys;
  const halves = keys.content.keys.map(({ spki }) => spki);
  return new Set(halves).size === halves.length
    ? { kind: 'valid', keys: wanted }
    : invalidDocument(['keys: one key has two names']);
}

function withoutExtras(jwk: PinnedJwk): PinnedJwk {
  const kept = KEPT.filter((name) => jwk[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, jwk[name]]));
}
