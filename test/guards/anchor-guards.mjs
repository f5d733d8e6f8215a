/** Guards of the log outside: what it has seen cannot be told otherwise. */
const judged = (only) => ({ tests: ['test/domain/transparency/judge-anchor.test'], only });
const held = (only) => ({ tests: ['test/cli/audit/check-anchor.test'], only });
const signed = (only) => ({ tests: ['test/cli/transparency/note-signature.test'], only });
const stored = (only) => ({ tests: ['test/cli/transparency/anchor-log.test'], only });
const token = (only) => ({ tests: ['test/cli/transparency/timestamp-token.test'], only });
const JUDGE = 'domain/transparency/judge-anchor.ts';
const STAMPS = 'domain/transparency/log-stamps.ts';
const TOKEN = 'cli/transparency/timestamp-token.ts';
const GIVEN = 'cli/transparency/given-log.ts';
const NOTE = 'cli/transparency/note-signature.ts';
const FILES = 'cli/transparency/log-files.ts';
const LOG = 'cli/transparency/anchor-log.ts';

export const ANCHOR_GUARDS = [
  {
    name: 'anchor: the past is what it was',
    file: JUDGE,
    from: 'if (digests[entry.events - 1] !== entry.history) {',
    to: "if (digests[entry.events - 1] === '') {",
    ...judged('begins otherwise'),
  },
  {
    name: 'anchor: nothing is cut off',
    file: JUDGE,
    from: 'if (digests.length < entry.events) {',
    to: 'if (digests.length < entry.events - 100) {',
    ...judged('was cut off'),
  },
  {
    name: 'anchor: nothing follows an end',
    file: JUDGE,
    from: "return entry.ended !== 'open' && digests.length > entry.events",
    to: "return entry.ended === 'never' && digests.length > entry.events",
    ...judged('goes on after its end'),
  },
  {
    name: 'anchor: no execution is left out',
    file: JUDGE,
    from: 'if (execution === undefined) return [`execution ${entry.runId} is in the log, and is left out`];',
    to: 'if (execution === undefined) return [];',
    ...judged('leaves out an execution'),
  },
  {
    name: 'anchor: only what is under an outside checkpoint is proven',
    file: JUDGE,
    from: '.filter(({ place }) => place < outside)',
    to: '.filter(({ place }) => place < outside + 100)',
    ...judged('under no checkpoint that is out of reach'),
  },
  {
    name: 'anchor: all of a run is anchored, or it is a window',
    file: JUDGE,
    from: 'anchored < events',
    to: 'anchored < 1',
    ...judged('its end is not in the log'),
  },
  {
    name: 'anchor: a log is signed by its key',
    file: GIVEN,
    from: 'if (!isSigned(checkpoint, trusted, { old: false })) {',
    to: 'if (trusted.keys.length === 0) {',
    ...held('signed with another key'),
  },
  {
    name: 'anchor: a revoked key signs no log',
    file: GIVEN,
    from: 'old || !revoked',
    to: 'old || !revoked || revoked',
    ...held('signed with a revoked key'),
  },
  {
    name: 'anchor: a kept checkpoint is of the log',
    file: GIVEN,
    from: 'rootText(levels, old.size) === old.root',
    to: "old.root !== ''",
    ...held('contradicts an old checkpoint'),
  },
  {
    name: 'anchor: a log does not get shorter',
    file: GIVEN,
    from: 'if (old.size > size)',
    to: 'if (old.size > size + 100)',
    ...held('goes further than a log'),
  },
  {
    name: 'anchor: a log of the operator proves what was kept elsewhere',
    file: GIVEN,
    from: 'trusted.independent',
    to: 'trusted.keys.length > 0',
    ...held('of an operator proves'),
  },
  {
    name: 'anchor: a signature is checked',
    file: NOTE,
    from: 'return verify(null, Buffer.from(body), key, bytes.subarray(ID_BYTES));',
    to: 'return verify(null, Buffer.from(body), key, bytes.subarray(ID_BYTES)) || bytes.length > 0;',
    ...signed('another size'),
  },
  {
    name: 'anchor: entries have the root of the checkpoint',
    file: FILES,
    from: 'if (rootText(levels, checkpoint.size) !== checkpoint.root) {',
    to: "if (checkpoint.root === '') {",
    ...stored('an entry was changed'),
  },
  {
    name: 'anchor: one process writes a log',
    file: LOG,
    from: 'if (body !== stored.checkpoint.body) {',
    to: "if (body === '') {",
    ...stored('two processes at once'),
  },
  {
    name: 'anchor: an entry of a later version is none',
    file: LOG,
    from: 'if (entry !== null) return entry;',
    to: 'if (entry !== null || index >= 0) return entry;',
    ...stored('of a later version'),
  },
  {
    name: 'anchor: what is stamped late proves nothing',
    file: STAMPS,
    from: 'if (!(stamp.seconds - seconds <= withinSeconds))',
    to: 'if (Number.isNaN(stamp.seconds))',
    ...judged('was stamped too late'),
  },
  {
    name: 'anchor: an event without a time is never on time',
    file: STAMPS,
    from: 'if (!(stamp.seconds - seconds <= withinSeconds))',
    to: 'if (stamp.seconds - seconds > withinSeconds)',
    ...judged('an hour has no number'),
  },
  {
    name: 'anchor: a timestamp is over entries before it alone',
    file: STAMPS,
    from: 'size > place',
    to: 'size > 0',
    ...judged('reads the timestamps that it needs'),
  },
  {
    name: 'anchor: a timestamp is of this checkpoint',
    file: TOKEN,
    from: 'imprint.equals(digestOf(text))',
    to: 'imprint.length > 0',
    ...token('of another text'),
  },
  {
    name: 'anchor: a timestamp is of an authority of the trust file',
    file: TOKEN,
    from: 'checkChain: authorities !== null',
    to: 'checkChain: false',
    ...token('says when its authority'),
  },
  {
    name: 'anchor: a log was not cut off since it was stamped',
    file: 'cli/transparency/given-stamps.ts',
    from: 'if (stamped > has)',
    to: 'if (stamped > has + 100)',
    ...held('it was cut off since it was stamped'),
  },
  {
    name: 'anchor: who signs timestamps signs nothing else',
    file: TOKEN,
    from: "purposes.keyPurposes.join(' ') === TIME_STAMPING",
    to: 'purposes.keyPurposes.includes(TIME_STAMPING)',
    ...token('under another certificate of its key'),
    composed: true,
  },
  {
    name: 'anchor: a timestamp is under the certificate that was meant',
    file: TOKEN,
    from: "meant?.digest.equals(hash(meant.algorithm, derOf(signer), 'buffer')) === true",
    to: 'meant !== undefined',
    ...token('under another certificate of its key'),
    composed: true,
  },
];
