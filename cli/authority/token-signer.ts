import { audienceFor, readIdToken } from '../../activities/authority/id-token.js';
import type { BytesSigner, KeySignature } from '../../activities/authority/signed-statement.js';
import { oidcKeyId } from '../../domain/authority/access-policy.js';
import type { Statement } from '../../domain/authority/statement.js';
import { shownText } from '../terminal/wording.js';
import { TokenFailure, type TokenProgram, tokenPrintedBy } from './token-program.js';

const PREFIX = 'oidc::';
/** Where a command finds what its token must name, in `aud` or `nonce`. */
const AUDIENCE = 'CCM_MIGRATE_AUDIENCE';

/** The command of a key that is named `oidc::COMMAND`; null for another key. */
export function tokenCommand(named: string): string | null {
  return named.startsWith(PREFIX) ? named.slice(PREFIX.length) : null;
}

/**
 * Signs with tokens of an issuer, which a command asks it for. The keys of the issuer are in the policy of the workers, not here:
 * whether one made the token, only they can say. What the token says of itself is checked before anything is sent.
 */
export function tokenSigner(command: string, program: TokenProgram): BytesSigner {
  return {
    sign: async (bytes) => {
      const audience = audienceFor(bytes);
      const env = { ...program.env, [AUDIENCE]: audience };
      return signatureIn(await tokenPrintedBy(command, { ...program, env }), audience);
    },
  };
}

/** Who waits less has no one at a terminal: `server` gives a command a moment, and goes on without it. */
const WORTH_TELLING_MS = 1_000;

/**
 * Says at once what a command line waits for: the command shows nothing of its own, and may have opened a browser somewhere that
 * waits for its person.
 */
export function tellOfToken(
  { withinMs, tell }: Pick<TokenProgram, 'withinMs'> & { readonly tell: (text: string) => void },
  { verb, actor, fleet, workflowId }: Statement,
): void {
  if (withinMs < WORTH_TELLING_MS) return;
  const who = actor === '' ? '' : ` for ${actor}`;
  const what = `${verb} of ${fleet === '' ? workflowId : `fleet ${fleet}`}${who}`;
  const limit = `${String(withinMs / 1000)} s at most, Ctrl-C ends it and sends nothing`;
  tell(
    `${shownText(`waiting for the command of an oidc key to print the ID token that signs ${what}: ${limit}`)}\n`,
  );
}

function signatureIn(printed: string, wanted: string): KeySignature {
  const token = readIdToken(printed);
  if (token === null) throw new TokenFailure(`the command of the key printed ${NO_TOKEN}`);
  const { issuer, subject, audience, nonce } = token.claims;
  if (audience !== wanted && nonce !== wanted) {
    throw new TokenFailure(`the command of the key printed ${FOR_OTHERS}`);
  }
  return { keyId: oidcKeyId(issuer, subject), sig: Buffer.from(printed) };
}

const NO_TOKEN =
  'no token that signs: it must print one ID token and nothing else, with iss, sub, aud, iat and exp';
const FOR_OTHERS = `a token for something else, and nothing was sent: ask for one with the audience in ${AUDIENCE}`;
