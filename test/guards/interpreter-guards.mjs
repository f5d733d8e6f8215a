/** Guards of the run itself: what may begin, what ends it, what a hold waits for, and what an audit must find. */
const DECIDE = 'domain/run/resume-loop.ts';
const HOLDS = 'domain/run/holds.ts';
const SETTLE = 'domain/run/resume-loop.ts';
const REPORTS = 'domain/run/reports.ts';
const AFTER_FAILURE = 'domain/run/advance.ts';
const WAIT = 'activities/await-change.ts';
const DECISIONS = 'cli/audit/check-decisions.ts';

const run = (name, only) => ({
  tests: [`test/domain/run/${name}.test`],
  ...(only === undefined ? {} : { only }),
});
const wait = (only) => ({ tests: ['test/activities/stories/await-change.test'], only });
const audit = { tests: ['test/cli/audit/recorded-checks.test'] };
const workflow = (name, only) => ({ tests: [`test/workflows/${name}.test`], only });

export const INTERPRETER_GUARDS = [
  {
    name: 'what must survive is compared before a run ends',
    file: DECIDE,
    from: 'return state.proofs.verified ? null : begin(state, observed, proof);',
    to: 'return state.proofs.verified ? null : null;',
    ...run('advance'),
  },
  {
    name: 'a run soaks before it is proven',
    file: HOLDS,
    from: "return proofs.soak !== 'passed' && policy.soakSeconds > 0;",
    to: "return proofs.soak === 'failed' && policy.soakSeconds > 0;",
    ...run('advance'),
  },
  {
    name: 'nothing begins without a guard',
    file: DECIDE,
    from: '  if (!guarded) return unserved();\n',
    to: '',
    ...run('holds', 'nothing is begun unguarded'),
  },
  {
    name: 'a run that changed something ends only under a guard',
    file: DECIDE,
    from: ' ?? (observed.guarded ? null : unserved())',
    to: '',
    ...run('guard', 'ends only under a guard'),
  },
  {
    name: "only a measurement changes a run's direction",
    file: 'domain/run/breach-rules.ts',
    from: "verdict === 'fail' && !NEVER_TURNS.includes(code)",
    to: 'verdict !== null && !NEVER_TURNS.includes(code)',
    ...run('holds', 'only a measurement changes'),
  },
  {
    name: 'a manifest that was cut off is completed only under a guard',
    file: SETTLE,
    from: '!observed.guarded || next.kind',
    to: 'next.kind',
    ...run('holds', 'cut-off manifest'),
  },
  {
    name: 'a decision that rests on older approvals is discarded',
    file: SETTLE,
    from: 'pending.observed || observed?.decision.revision !== direction.revision;',
    to: 'pending.observed;',
    ...run('holds', 'made before an operator'),
  },
  {
    name: 'the plan of a direction that the run was changed to is checked',
    file: DECIDE,
    from: "  if (pending.plan) return { kind: 'check' };\n",
    to: '',
    ...run('commands', 'is checked before its first step'),
  },
  {
    name: 'what forbids such a plan holds the run',
    file: DECIDE,
    from: '  if (first === undefined) return null;\n  const findings = [first, ...more] as const;',
    to: '  if (first !== undefined) return null;\n  const findings = [first, ...more] as const;',
    ...run('commands', 'holds the run for what forbids it'),
  },
  {
    name: "two owners that no repair can end need an operator's decision",
    file: HOLDS,
    from: 'const PASSES_BY_ITSELF: ReadonlySet<string> = new Set([\n',
    to: "const PASSES_BY_ITSELF: ReadonlySet<string> = new Set([\n  'CCM3001',\n",
    ...run('holds'),
  },
  {
    name: 'healing leaves what was verified only where no gate had failed',
    file: HOLDS,
    from: 'verified: verified && problems.gates.length === 0,',
    to: 'verified,',
    ...run('holds', 'a verified result stays so'),
  },
  {
    name: 'a failed step is followed by a new fence',
    file: AFTER_FAILURE,
    from: 'pending: { ...state.pending, recovery: true, fence: true, observed: true },',
    to: 'pending: { ...state.pending, recovery: true, observed: true },',
    ...run('failures'),
  },
  {
    name: 'a step that never ran keeps its epoch',
    file: AFTER_FAILURE,
    from: 'return failure.neverRan\n',
    to: 'return failure.neverRan && inFlight.planned === undefined\n',
    ...run('holds', 'keeps its epoch'),
  },
  {
    name: 'a mistake of our own in the middle holds under guard and fence',
    file: AFTER_FAILURE,
    from: " === 'bug') && untouched;",
    to: " === 'bug');",
    ...run('failures'),
  },
  {
    name: 'a soak of the other direction proves nothing',
    file: REPORTS,
    from: "const counts = state.proofs.soak === 'pending' && report.decision.revision === direction.revision;",
    to: "const counts = state.proofs.soak === 'pending';",
    ...run('holds', 'a soak of a previous direction'),
  },
  {
    name: 'a failure is no note',
    file: 'domain/gates/quiet-notes.ts',
    from: "noted === true && verdict !== 'fail'",
    to: 'noted === true',
    tests: ['test/domain/gates/quiet-notes.test'],
  },
  {
    name: 'the decision of a wait is carried out after a full observation',
    file: REPORTS,
    from: "return decision.next.kind === 'blocked' ? waited : observingAgain(waited);",
    to: 'return waited;',
    ...run('advance', 'with no safe step waits for a change'),
  },
  {
    name: 'a gate without a measurement does not pass',
    file: REPORTS,
    from: 'return verdicts.length === 0\n',
    to: 'return verdicts.length < 0\n',
    ...run('advance', 'a gate without a measurement'),
  },
  {
    name: 'no command is applied twice across executions',
    file: 'domain/run/begin-run.ts',
    from: 'older: [...new Set([...older, ...digests])],',
    to: 'older,',
    ...run('carry', 'applies no command twice'),
  },
  {
    name: 'holds: rarely changing data is re-read during long waits, too',
    file: WAIT,
    from: 'count % WHOLE_EVERY === 0 || isLast',
    to: 'count === 0 || isLast',
    ...wait('re-reads within minutes what rarely changes'),
  },
  {
    name: 'holds: a new hold reason is reported at intervals',
    file: WAIT,
    from: "return decision.next.kind !== 'blocked' || waitedMs >= atLeastMs;",
    to: "return decision.next.kind !== 'blocked' || waitedMs >= 0;",
    ...wait('a new hold reason'),
  },
  {
    name: 'holds: what begins to move is not yet another decision',
    file: WAIT,
    from: ' || !isSettled(snapshot)',
    to: '',
    ...wait('still in motion'),
  },
  {
    name: 'holds: what the next step repairs is not waited for',
    file: WAIT,
    from: "      if (seen.health === 'curable') return 'healed';\n",
    to: '',
    ...wait('the next step repairs'),
  },
  {
    name: 'holds: good observations do not heal a breach in the fence',
    file: WAIT,
    from: 'left.length > 0 || breaches.length > 0',
    to: 'left.length > 0',
    ...wait('to remove a breach'),
  },
  {
    name: 'holds: only consecutive good observations count',
    file: WAIT,
    from: "health === 'bad' ? null :",
    to: "health === 'bad' ? healthySinceMs :",
    ...wait('restarts the settle time'),
  },
  {
    name: 'an executor that does not know an effect refuses',
    file: 'activities/decided-observation.ts',
    from: '  if (known === effectVersion) return;\n',
    to: '  if (known !== undefined) return;\n',
    tests: ['test/activities/decided-observation.test'],
  },
  {
    name: 'audit: a decision follows from the rules',
    file: DECISIONS,
    from: 'others.find(({ observed }) => observed.decidedBy === ownCode)',
    to: "others.find(({ observed }) => observed.decidedBy === '')",
    ...audit,
  },
  {
    name: 'audit: a step is the one that was decided',
    file: DECISIONS,
    from: 'return named.some((each) => digestJson(each) === wanted);',
    to: 'return named.length > 0 || wanted.length > 0;',
    ...audit,
  },
  {
    name: 'audit: a step rests on the approvals of its decision',
    file: DECISIONS,
    from: '  if (observed.decision.revision !== revision) return false;\n',
    to: '',
    ...audit,
  },
  {
    name: 'a result that looks complete was watched to its end',
    file: 'workflows/close-run.ts',
    from: '|| guard.hasReported()',
    to: '|| guard.hasReported() || true',
    ...workflow('breaches', 'a guard that is lost when the run would end'),
  },
];
