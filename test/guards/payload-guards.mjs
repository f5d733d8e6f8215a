/** Guards of encrypted histories and of what decrypts them. */
const codec = (only) => ({ tests: ['test/config/encrypted-payloads.test'], only });
const keys = (only) => ({ tests: ['test/config/payload-keys.test'], only });
const server = (only) => ({ tests: ['test/cli/server/codec-server.test'], only });
const CODEC = 'config/encrypted-payloads.ts';
const KEYS = 'config/payload-keys.ts';
const SERVER = 'cli/server/codec-server.ts';

export const PAYLOAD_GUARDS = [
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
