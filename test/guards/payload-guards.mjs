/** Guards of encrypted histories and of what decrypts them. */
const codec = (only) => ({ tests: ['test/config/encrypted-payloads.test'], only });
const keys = (only) => ({ tests: ['test/config/payload-keys.test'], only });
const server = (only) => ({ tests: ['test/cli/server/codec-server.test'], only });
const CODEC = 'config/encrypted-payloads.ts';
const KEYS = 'config/payload-keys.ts';
const SERVER = 'cli/server/codec-server.ts';

const FAILURES = 'workers/encode-failures.ts';
const failures = (only) => ({ tests: ['test/workers/encode-failures.test'], only });

export const PAYLOAD_GUARDS = [
  {
    name: 'failures: a cancelled activity stays one',
    file: FAILURES,
    from: 'throw isEnding(error) ? error : withEncodedText(error);',
    to: 'throw withEncodedText(error);',
    ...failures('leaves to the SDK'),
  },
  {
    name: 'failures: workers encode what activities say',
    file: FAILURES,
    from: 'throw isEnding(error) ? error : withEncodedText(error);',
    to: 'throw error;',
    ...failures('becomes a payload, with its causes'),
  },
  {
    name: 'failures: the sandbox is told to encode',
    file: FAILURES,
    from: '=true;',
    to: '=false;',
    ...failures('on the first line'),
  },
  {
    name: 'failures: a bug stays readable',
    file: 'workflows/failure-converter.ts',
    from: "return isFailureType(error.type ?? '');",
    to: "return isFailureType(error.type ?? 'Bug') || error.type !== '';",
    ...failures('only a bug stays readable'),
  },
  {
    name: 'failures: an export says what was encrypted',
    file: 'cli/audit/decrypted-history.ts',
    from: 'return { ...Object.fromEntries(others), ...onlyTexts(said) };',
    to: 'return decrypted;',
    tests: ['test/workflows/payload-codec.test'],
    only: 'what failures say',
  },
  {
    name: 'failures: status decrypts why a cluster does not answer',
    file: 'cli/runs/run-view.ts',
    from: 'await messageOf(lastFailure, converter)',
    to: "await Promise.resolve(lastFailure.message ?? '')",
    tests: ['test/cli/runs/contact.test'],
    only: 'is read where it was encrypted',
  },
  {
    name: 'payloads: each has a nonce of its own',
    file: CODEC,
    from: 'const nonce = randomBytes(NONCE_BYTES);',
    to: 'const nonce = Buffer.alloc(NONCE_BYTES, randomBytes(0));',
    ...codec('are never the same twice'),
  },
  {
    name: 'payloads: the whole payload is encrypted, with its encoding',
    file: CODEC,
    from: 'metadata: { encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) },',
    to: 'metadata: { ...payload.metadata, plain: payload.data, encoding: Buffer.from(ENCRYPTED), [KEY_ID]: Buffer.from(id) },',
    ...codec('an object'),
  },
  {
    name: 'payloads: a missing key is named',
    file: CODEC,
    from: '(isEncrypted(payload) ? decrypted(payload, new Map()) : payload)',
    to: '(isEncrypted(payload) ? payload : payload)',
    ...codec('are refused without their key'),
  },
  {
    name: 'payload keys: others do not read them',
    file: 'config/small-file.ts',
    from: '(mode & READABLE_BY_OTHERS) !== 0',
    to: 'mode === READABLE_BY_OTHERS',
    ...keys('is refused where others may read it'),
  },
  {
    name: 'payload keys: an id is of one key',
    file: KEYS,
    from: 'if (byId.has(id)) throw',
    to: "if (id === '') throw",
    ...keys('one id twice'),
  },
  {
    name: 'codec server: a token is compared',
    file: SERVER,
    from: 'timingSafeEqual(digest(given), digest(token))',
    to: 'timingSafeEqual(digest(token), digest(token))',
    ...server('wants its token'),
  },
  {
    name: 'codec server: a foreign name is not answered',
    file: SERVER,
    from: 'return isLoopback(host) ? null',
    to: "return isLoopback(host) || host !== '' ? null",
    ...server('the name of another host'),
  },
  {
    name: 'codec: an open address needs a token',
    file: 'cli/commands/codec.ts',
    from: 'if (token === null && !isLoopback(place.host)) {',
    to: "if (token === null && place.host === '') {",
    ...server('an open address without a token'),
  },
];
