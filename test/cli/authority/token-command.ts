import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnIssuerKey, Says } from '../../support/token-issuer.js';

/** What asks an issuer for a token, as a CI job would; it sees the audience in its environment only. */
const PROGRAM = `
import { createPrivateKey, sign } from 'node:crypto';
const [kid, claims, pem, member] = GIVEN;
const named = { [member]: process.env.CCM_MIGRATE_AUDIENCE };
const iat = Math.floor(Date.now() / 1000);
const part = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const signed = part({ alg: 'ES256', kid }) + '.' + part({ iat, exp: iat + 300, ...named, ...claims });
const key = { key: createPrivateKey(pem), dsaEncoding: 'ieee-p1363' };
console.log(signed + '.' + sign('sha256', Buffer.from(signed), key).toString('base64url'));
`;

/** A command that prints tokens of an EC key which say so, and name the statement in this member. */
export async function tokenCommandIn(
  folder: string,
  { kid, key }: OwnIssuerKey,
  claims: Says,
  member: 'aud' | 'nonce' = 'aud',
): Promise<string> {
  const pem = key.export({ type: 'pkcs8', format: 'pem' });
  const path = join(folder, `${member}.mjs`);
  await writeFile(path, PROGRAM.replace('GIVEN', JSON.stringify([kid, claims, pem, member])));
  return `'${process.execPath}' '${path}'`;
}
