/** Guards of tokens that sign: one signs one statement, for one subject, with a key that the policy pins and in the time of the statement. */
const TOKEN = 'activities/authority/token-signature.ts';
const READ = 'activities/authority/id-token.ts';
const ISSUERS = 'config/access/token-issuers.ts';
const SIGNER = 'cli/authority/token-signer.ts';
const PROGRAM = 'activities/adapters/credentials/bounded-program.ts';
const SECOND = 'tools/audit-verify/tokens.py';

const judged = (only) => ({ tests: ['test/activities/authority/token-signature.test'], only });
const written = (only) => ({ tests: ['test/config/access/token-issuers.test'], only });
const signs = (only) => ({ tests: ['test/cli/authority/token-signers.test'], only });
const second = (only) => ({
  tests: [
    'test/cli/audit/tokens-in-exports.test',
    'test/activities/authority/token-signature.test',
  ],
  only,
});

export const TOKEN_GUARDS = [
  {
    name: 'token: it is for one statement',
    file: TOKEN,
    from: 'audience === wanted || (nonce',
    to: "audience.startsWith('ccm-migrate:') || (nonce",
    ...judged('that is for another statement'),
  },
  {
    name: 'token: the nonce counts for an audience of the policy alone',
    file: TOKEN,
    from: 'nonce === wanted && known.includes(audience)',
    to: 'nonce === wanted',
    ...judged('may name it in the nonce only where'),
  },
  {
    name: 'token: it is of the subject',
    file: TOKEN,
    from: "if (claims.subject !== subject) return faulty('otherSubject');",
    to: '',
    ...judged('that is of another subject'),
  },
  {
    name: 'token: it says which issuer made it',
    file: TOKEN,
    from: "if (claims.issuer !== issuer.issuer) return faulty('otherIssuer');",
    to: '',
    ...judged('that names another issuer'),
  },
  {
    name: 'token: the key says which algorithm it is',
    file: TOKEN,
    from: 'token.algorithm === algorithm && verify',
    to: 'verify',
    ...judged('that calls its key one of another kind'),
  },
  {
    name: 'token: its issuer signed it',
    file: TOKEN,
    from: "if (!isMadeWith(key, token, keyOf)) return faulty('forged');",
    to: "if (key.kid === '' && !isMadeWith(key, token, keyOf)) return faulty('forged');",
    ...judged('that is signed with a key of no issuer'),
  },
  {
    name: 'token: it was made in the time of the statement',
    file: 'activities/authority/signed-statement.ts',
    from: 'if (issuedAt !== null && !isMadeInTime(statement, issuedAt)) return',
    to: 'if (issuedAt !== null && issuedAt < 0) return',
    ...judged('that was made after the statement'),
  },
  {
    name: 'token: a header says nothing else',
    file: READ,
    from: 'return Object.keys(more).every((name) => PASSED_OVER.includes(name))',
    to: "return Object.keys(more).every((name) => name !== 'jwk')",
    ...judged('that wants something understood'),
  },
  {
    name: 'token: it is for one audience',
    file: READ,
    from: ' && texts.length === 1 ? text : null',
    to: ' ? text : null',
    ...judged('that is for two audiences'),
  },
  {
    name: 'token: no member is given twice',
    file: READ,
    from: 'return membersIn(value) === writtenMembers(text) ? value : null;',
    to: 'return membersIn(value) <= writtenMembers(text) ? value : null;',
    ...judged('with a claim twice'),
  },
  {
    name: 'token: it has one spelling',
    file: 'activities/authority/exact-base64.ts',
    from: 'return bytes.toString(spelling) === text ? bytes : null;',
    to: 'return bytes;',
    ...judged('with another spelling of its signature'),
  },
  {
    name: 'token: a policy has no private key',
    file: ISSUERS,
    from: '.regex(NEVER, ',
    to: '.regex(/./, ',
    ...written('a prime of an RSA key'),
  },
  {
    name: 'token: a short RSA key is none',
    file: ISSUERS,
    from: 'modulusLength < 2048 || ',
    to: '',
    ...written('a key of 1024 bits'),
  },
  {
    name: 'token: an issuer is described',
    file: 'config/access/access-policy-file.ts',
    from: '...(isKnown ? [] : [',
    to: '...(isKnown || keys.length > 0 ? [] : [',
    ...written('an issuer that is not described'),
  },
  {
    name: 'token: one for something else is not sent',
    file: SIGNER,
    from: 'if (audience !== wanted && nonce !== wanted) {',
    to: "if (audience === '' && nonce !== wanted) {",
    ...signs('prints one for others'),
  },
  {
    name: 'token: what a command says beside it is told no one',
    file: PROGRAM,
    from: "stdio: ['ignore', 'pipe', 'ignore']",
    to: "stdio: ['ignore', 'pipe', 'inherit']",
    ...signs('where its requests would be shown'),
  },
  {
    name: 'token: a command is given up in time',
    file: PROGRAM,
    from: 'const timer = setTimeout(end, withinMs, ',
    to: 'const timer = setTimeout(end, 100 * withinMs, ',
    ...signs('that says nothing is given up in time'),
  },
  {
    name: 'token: a wait for a command can be interrupted',
    file: PROGRAM,
    from: "signal?.addEventListener('abort', interrupt, { once: true });",
    to: '',
    ...signs('is ended where its person interrupts'),
  },
  {
    name: 'token: the second verifier wants the same statement',
    file: SECOND,
    from: 'is_named = audience == wanted or (',
    to: 'is_named = audience.startswith("ccm-migrate:") or (',
    ...second('that is for another statement'),
  },
  {
    name: 'token: the second verifier wants it made in time',
    file: SECOND,
    from: 'want(in_time, ',
    to: 'want(in_time or issued > 0, ',
    ...second('that was made after the statement'),
  },
  {
    name: 'token: the second verifier takes no other header',
    file: SECOND,
    from: 'set(header) <= HEADER and ',
    to: '',
    ...second('that is not encoded'),
  },
];
