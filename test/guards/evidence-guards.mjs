/** Guards of the evidence in PostgreSQL. Tests on a real server must fail without them. */

const CONNECTIONS = 'activities/evidence/postgres-connections.ts';
const STORE = 'activities/evidence/postgres-evidence-store.ts';
const SCHEMA = 'deploy/evidence/schema.sql';

const connected = (only) => ({
  tests: ['test/activities/evidence/postgres-connections.test'],
  only,
});
const stored = (only) => ({
  tests: ['test/activities/evidence/postgres-evidence-store.test'],
  only,
});
const harmed = (only) => ({ ...stored(only), composed: true });

export const EVIDENCE_GUARDS = [
  {
    name: 'evidence: a worker cannot rewrite what it recorded',
    file: CONNECTIONS,
    from: 'if (rewrites === true) return REWRITES;',
    to: 'if (rewrites === 1) return REWRITES;',
    tests: ['test/activities/evidence/postgres-rights.test'],
    only: 'can become the owner of the tables',
  },
  {
    name: 'shared evidence: a server without fsync is refused',
    file: CONNECTIONS,
    from: "if (fsync !== 'on') return",
    to: "if (fsync === '') return",
    ...connected('without fsync is refused'),
  },
  {
    name: 'shared evidence: a session that does not wait for the disk is refused',
    file: CONNECTIONS,
    from: "commits !== 'off'",
    to: "commits !== ''",
    ...connected('a user with synchronous_commit'),
    composed: true,
  },
  {
    name: 'shared evidence: a session keeps what was checked',
    file: CONNECTIONS,
    from: "set_config('synchronous_commit', current_setting('synchronous_commit'), false)",
    to: "current_setting('synchronous_commit')",
    ...connected('a reload of the configuration'),
  },
  {
    name: 'shared evidence: a read-only session is refused',
    file: CONNECTIONS,
    from: "if (readOnly !== 'off') {",
    to: "if (readOnly === '') {",
    ...connected('a user with default_transaction_read_only'),
    composed: true,
  },
  {
    name: 'shared evidence: a replica is refused',
    file: CONNECTIONS,
    from: 'if (replica !== false)',
    to: 'if (replica === 1)',
    ...connected('a replica is refused to workers'),
  },
  {
    name: 'shared evidence: a server proves its name',
    file: CONNECTIONS,
    from: 'rejectUnauthorized: true',
    to: 'rejectUnauthorized: false',
    ...connected('must prove its name'),
  },
  {
    name: 'shared evidence: no password comes from the environment',
    file: CONNECTIONS,
    from: 'password: () => password',
    to: 'password',
    ...connected('variables of libpq'),
  },
  {
    name: 'shared evidence: a statement that hangs is given up',
    file: CONNECTIONS,
    from: 'statement_timeout: STATEMENT_WITHIN_MS',
    to: 'statement_timeout: 60_000',
    ...connected('for longer than the limits'),
  },
  {
    name: 'shared evidence: of two writers one decides again',
    file: STORE,
    from: 'if (await tables.addRow(run, last)) {',
    to: 'if ((await tables.addRow(run, last)) || tries === 0) {',
    ...stored('two workers that write at once'),
  },
  {
    name: 'shared evidence: rows that are gone are missed',
    file: STORE,
    from: 'if (!stands || total !== last.sequence + rows.length) return null;',
    to: 'if (!stands || total < 0) return null;',
    ...harmed('the middle is gone'),
  },
  {
    name: 'shared evidence: the end must be what it was',
    file: STORE,
    from: 'first?.hash === last.hash && first.line === last.line',
    to: 'first?.hash === last.hash',
    ...harmed('the last line was edited'),
  },
  {
    name: 'shared evidence: columns say what the line says',
    file: STORE,
    from: 'if (record.hash !== hash || record.sequence !== sequence) {',
    to: "if (hash === '' || record.sequence !== sequence) {",
    ...harmed('the hash of the last row differs from its line'),
  },
  {
    name: 'shared evidence: a row holds one line',
    file: STORE,
    from: "more.length > 0 || parsed.torn !== ''",
    to: "parsed.torn !== ''",
    ...harmed('a row holds two lines'),
  },
  {
    name: 'shared evidence: what others added is verified',
    file: STORE,
    from: "if (verdict.kind === 'broken') throw",
    to: "if (verdict.kind === 'broken' && last === null) throw",
    ...stored('does not follow what was seen'),
  },
  {
    name: "shared evidence: another run's chain is refused",
    file: STORE,
    from: 'verifyNext({ head, run, intents',
    to: 'verifyNext({ head, run: null, intents',
    ...stored("another run's chain"),
  },
  {
    name: 'shared evidence: what a worker has seen must still be there',
    file: STORE,
    from: '        requireBeginning(place, headOf(known.state), chain.state);\n',
    to: '',
    tests: ['test/contract/evidence-store.test'],
    only: 'notices a chain that was deleted',
  },
  {
    name: 'shared evidence: a text is what its digest says',
    file: STORE,
    from: 'text !== null && nativeDigest(text) === digest ? text : null',
    to: 'text',
    tests: ['test/contract/evidence-store.test'],
    only: 'has no text that was changed',
  },
  {
    name: 'shared evidence: workers only add and read',
    file: SCHEMA,
    from: 'GRANT SELECT, INSERT ON',
    to: 'GRANT ALL ON',
    ...harmed('a worker may not'),
  },
  {
    name: 'shared evidence: others do not read the password',
    file: 'config/small-file.ts',
    from: '(mode & READABLE_BY_OTHERS) !== 0',
    to: '(mode & 0) !== 0',
    tests: ['test/config/evidence-database.test'],
    only: 'is refused, and never quoted',
  },
];
