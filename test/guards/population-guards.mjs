/** Guards of audits over all runs: what is missing is missed, and what was done is on record. */
const gap = (only) => ({ tests: ['test/domain/evidence/population.test'], only });
const request = (only) => ({ tests: ['test/domain/evidence/reconcile-requests.test'], only });
const listed = (only) => ({ tests: ['test/cli/audit/listed-runs.test'], only });
const unreadable = (only) => ({ tests: ['test/cli/audit/unreadable-runs.test'], only });
const memos = (only) => ({ tests: ['test/config/temporal-client.test'], only });
const settled = (only) => ({ tests: ['test/cli/audit/settled-export.test'], only });
const logged = (only) => ({ tests: ['test/cli/audit/reconcile.test'], only });
const REQUESTS = 'domain/evidence/reconcile-requests.ts';
const FILE = 'domain/evidence/population.ts';

export const POPULATION_GUARDS = [
  {
    name: 'population: each epoch has its run',
    file: FILE,
    from: '...missingEpochs(first, last, known).map(',
    to: '...missingEpochs(last, last - 1, known).map(',
    ...gap('at the beginning'),
  },
  {
    name: 'population: clusters are known by their UID',
    file: FILE,
    from: 'runs.filter((run) => run.uid === uid)',
    to: "runs.filter((run) => run.uid !== '')",
    ...gap('by its UID'),
  },
  {
    name: 'population: a fence does not fall',
    file: FILE,
    from: '...(most > epoch ?',
    to: '...(most > epoch + most ?',
    ...gap('tells of a fence that fell behind'),
  },
  {
    name: 'population: one epoch is of one run',
    file: FILE,
    from: 'return isRepeated;',
    to: 'return isRepeated && epochs.length === 0;',
    ...gap('of an epoch that two runs took'),
  },
  {
    name: 'population: each run that has ended is exported',
    file: FILE,
    from: 'listed && !exported && endedAtMs !== null',
    to: 'listed && exported && endedAtMs === null',
    ...gap('wants an export of each run that has ended'),
  },
  {
    name: 'population: a run is kept for its time',
    file: FILE,
    from: 'return !listed && endedAtMs !== null && endedAtMs + retentionMs > nowMs;',
    to: 'return !listed && endedAtMs !== null && endedAtMs > nowMs + retentionMs;',
    ...gap('finds a run that was deleted before its time'),
  },
  {
    name: 'population: what a run only claims is a gap',
    file: FILE,
    from: "...unproven.map((each) => ({ kind: 'unprovenRun', ...each }) as const),",
    to: '',
    ...gap('only claims'),
  },
  {
    name: 'population: what the server alone lists proves an epoch by the signature of a worker',
    file: 'cli/audit/runs-on-record.ts',
    from: 'signed === null || signed.has(where),',
    to: "signed === null || signed.has(where) || where !== '',",
    ...listed('no one signed'),
  },
  {
    name: 'population: a wrong signature is not accepted as a missing one',
    file: 'cli/audit/check-results.ts',
    from: "(kind === 'unsigned' && takesUnsigned)",
    to: "(kind !== 'signed' && takesUnsigned)",
    ...listed('a wrong one not'),
  },
  {
    name: 'population: the UID of a cluster is in an id of its form alone',
    file: 'config/names.ts',
    from: 'return workflowId.startsWith(CLUSTER_WORKFLOW_PREFIX)',
    to: 'return workflowId !== CLUSTER_WORKFLOW_PREFIX',
    ...listed('in full'),
  },
  {
    name: 'audits: the payloads of a run of a cluster expand to no more than is read',
    file: 'cli/audit/export-run.ts',
    from: 'if (expandsTooFar(executions, mostExpanded)) {',
    to: 'if (expandsTooFar(executions, mostExpanded * 1024)) {',
    ...unreadable('expands too far'),
  },
  {
    name: 'audits: a history that cannot be decoded is one run',
    file: 'cli/audit/export-run.ts',
    from: 'if (!isGrpcServiceError(error)) {',
    to: "if (!isGrpcServiceError(error) && messageOf(error) === '') {",
    ...unreadable('is too deep'),
  },
  {
    name: 'audits: a history that is gone is one run',
    file: 'cli/audit/export-run.ts',
    from: 'if (code !== NOT_FOUND) return error;',
    to: 'if (code >= NOT_FOUND) return error;',
    ...unreadable('is gone'),
  },
  {
    name: 'audits: a server that is away is no unreadable run',
    file: 'cli/audit/export-run.ts',
    from: 'if (code !== NOT_FOUND) return error;',
    to: 'if (code < NOT_FOUND) return error;',
    ...unreadable('cannot answer now'),
  },
  {
    name: 'audits: what is encrypted expands to no more than is read',
    file: 'cli/audit/decrypted-history.ts',
    from: 'if (bytes > mostBytes) throw',
    to: 'if (bytes > mostBytes * 1024) throw',
    ...unreadable('up to a bound'),
  },
  {
    name: 'lists: a memo that cannot be read ends none',
    file: 'config/temporal-client.ts',
    from: 'client.workflow.list = (asked) => lists.list(asked);',
    to: 'if (lists === undefined) client.workflow.list = (asked) => lists.list(asked);',
    ...memos('goes on where a memo'),
  },
  {
    name: 'lists: a compressed memo is not expanded',
    file: 'config/temporal-client.ts',
    from: 'if (encodingOf(plain) === COMPRESSED_ENCODING) return NOTHING;',
    to: "if (encodingOf(plain) === '') return NOTHING;",
    ...memos('goes on where a memo'),
  },
  {
    name: 'exports: one of a run that was ended from outside is not final at once',
    file: 'cli/audit/settled-export.ts',
    from: 'return nowMs >= settledMs && ',
    to: 'return nowMs > Infinity && ',
    ...settled('is written again'),
  },
  {
    name: 'exports: nothing that was exported is given up',
    file: 'cli/audit/settled-export.ts',
    from: 'if (!isKept || now.length',
    to: 'if ((!isKept && now.length === 0) || now.length',
    ...settled('has lost'),
  },
  {
    name: 'exports: what a reset run goes on with is of another execution',
    file: 'cli/audit/settled-export.ts',
    from: "return checkIntents(events, records, content).result === 'pass';",
    to: "return checkIntents(events, records, content).result !== '';",
    ...settled('did not ask for'),
  },
  {
    name: 'reconcile: a write is on record',
    file: REQUESTS,
    from: 'if (done > possible && !isFence(key)) {',
    to: 'if (done > possible && possible > 0 && !isFence(key)) {',
    ...request('a write that is not on record'),
  },
  {
    name: 'reconcile: a record was carried out',
    file: REQUESTS,
    from: 'return certain > done',
    to: 'return certain > done + certain',
    ...request('a change that the server never saw'),
  },
  {
    name: 'reconcile: what the record calls refused was not carried out',
    file: REQUESTS,
    from: "possible: possible + (outcome === 'refused' ? 0 : 1)",
    to: "possible: possible + (outcome === '' ? 0 : 1)",
    ...request('one that the record calls refused'),
  },
  {
    name: 'reconcile: the fence is renewed by a run that goes on',
    file: REQUESTS,
    from: '...strayFence(ofFence, runs),',
    to: '',
    ...request('writes of the fence before any run'),
  },
  {
    name: 'reconcile: a refused write was intended',
    file: REQUESTS,
    from: '.filter((key) => !intended.has(key) && !isFence(key))',
    to: '.filter((key) => intended.has(key) && !isFence(key))',
    ...request('a refused write that was never intended'),
  },
  {
    name: 'reconcile: only the writes of the workers count',
    file: 'cli/audit/api-audit-log.ts',
    from: "const isOurs = textIn(member(event, 'user'), 'username') === user;",
    to: "const isOurs = textIn(member(event, 'user'), 'username') !== '' && user !== '';",
    ...logged('passes where each write is on record'),
  },
];
