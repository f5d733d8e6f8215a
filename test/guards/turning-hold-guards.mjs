/** Guards of holds that policy ends with a rollback, of skipped soft gates, and of what the guard of a run signals. */
const RULES = 'domain/run/breach-rules.ts';
const TURN = 'domain/run/pending-turn.ts';
const HOLDS = 'domain/run/holds.ts';
const REPORTS = 'domain/run/reports.ts';
const APPROVALS = 'domain/run/approvals.ts';
const EVENTS = 'domain/run/guard-events.ts';
const SIGNALLED = 'domain/run/read-verdict.ts';

const run = (name, only) => ({ tests: [`test/domain/run/${name}.test`], only });

export const TURNING_HOLD_GUARDS = [
  {
    name: 'turning hold: a pause ends its time',
    file: TURN,
    from: "  if (isPaused(state) || state.operatorHold.kind === 'stop') return withoutTurn(state, hold);\n",
    to: '',
    ...run('turning-holds', 'is a decision: the time is over'),
  },
  {
    name: 'turning hold: a resumed run does not begin its time again',
    file: TURN,
    from: 'return { ...state, problems: { ...state.problems, holdReason } };',
    to: 'return { ...state, problems: { ...state.problems, holdReason: hold } };',
    ...run('turning-holds', 'that is resumed waits for a person'),
  },
  {
    name: 'turning hold: its time counts from its begin',
    file: TURN,
    from: 'sinceMs: pendingTurn?.sinceMs ?? null',
    to: 'sinceMs: null',
    ...run('turning-holds', 'however often it is decided again'),
  },
  {
    name: 'turning hold: the time of another hold turns nothing',
    file: TURN,
    from: 'pendingTurn?.sinceMs === sinceMs && ',
    to: 'pendingTurn !== undefined && ',
    ...run('turning-holds', 'the time of another hold'),
  },
  {
    name: 'turning hold: what the next step cures turns nothing',
    file: TURN,
    from: 'const failed = uncured(problems, observed.decision.next).filter(',
    to: 'const failed = [...problems.gates].filter(',
    ...run('turning-holds', 'a failure that the rules cure by now'),
  },
  {
    name: 'turning hold: a parked run goes back without a slot',
    file: TURN,
    from: "return resumeLoop(withTies(turned, { slot: 'held' }));",
    to: 'return resumeLoop(turned);',
    ...run('turning-holds', 'rolls back without a slot'),
  },
  {
    name: 'turning hold: what needs a person is not left to heal',
    file: HOLDS,
    from: "return isSoftCode(verdict.code) ? 'environment' : gateActor(verdict);",
    to: "return 'environment';",
    ...run('turning-holds', 'may recover within the time'),
  },
  {
    name: 'turning hold: the rule of its phase decides',
    file: RULES,
    from: '(phase === null ? undefined : onBreachByPhase[phase]) ?? onBreach',
    to: 'phase === null ? (onBreachByPhase.verify ?? onBreach) : onBreach',
    ...run('turning-holds', 'the phase of the step that is due'),
  },
  {
    name: 'turning hold: what is not proven yet is in verify',
    file: RULES,
    from: "afterProof && !isProven(state) ? 'verify' : step.phase",
    to: 'afterProof ? step.phase : step.phase',
    ...run('turning-holds', 'must be proven before a later step'),
  },
  {
    name: 'turning hold: a turn by policy is no person',
    file: RULES,
    from: 'turnedByPerson: false',
    to: 'turnedByPerson: true',
    ...run('turning-holds', 'does so when nothing else has ended it'),
  },
  {
    name: 'turning hold: a later execution goes on with its time',
    file: 'workflows/turn-timer.ts',
    from: 'Math.max(1, atMs - Date.now())',
    to: '3_600_000',
    tests: ['test/workflows/turning-holds.test'],
    only: 'also in a later execution',
  },
  {
    name: 'skip: a soak goes on after a soft gate was skipped',
    file: APPROVALS,
    from: "soak: proofs.soak === 'failed' ? 'pending' : proofs.soak",
    to: "soak: proofs.soak === 'failed' ? 'passed' : proofs.soak",
    ...run('commands', 'the rest of the soak goes on'),
  },
  {
    name: 'skip: what is skipped of a soft gate holds no soak',
    file: REPORTS,
    from: 'failing(report.verdicts, direction.waivedGates)',
    to: 'failing(report.verdicts)',
    ...run('commands', 'the rest of the soak goes on'),
  },
  {
    name: 'skip: a hard gate always counts',
    file: 'domain/gates/waived-gates.ts',
    from: "hardness === 'soft' && waived.some",
    to: "hardness !== 'none' && waived.some",
    ...run('commands', 'fails the soak'),
  },
  {
    name: 'skip: only the finding that was skipped is let pass',
    file: 'domain/gates/waived-gates.ts',
    from: 'each.gate === gate && each.code === code',
    to: 'each.gate === gate',
    ...run('commands', 'fails the soak'),
  },
  {
    name: 'skip: a soak that a hard gate failed begins again',
    file: REPORTS,
    from: 'isSoft ? proofs.soakProgress : null',
    to: 'isSoft ? proofs.soakProgress : proofs.soakProgress',
    ...run('commands', 'a soak that a hard gate failed begins again'),
  },
  {
    name: 'skip: the fence opens for exactly one soft gate',
    file: 'activities/fence/read-fence.ts',
    from: '? passesSoft || skipped.includes(breachKey(line))',
    to: '? passesSoft || skipped.some((key) => key.startsWith(line.code))',
    tests: ['test/activities/fence/fence.test'],
    only: 'a skip opens the fence for exactly one soft gate',
  },
  {
    name: 'signals: a note holds nothing',
    file: EVENTS,
    from: 'return holdsRun(verdict) && !isWaived',
    to: 'return !isWaived',
    ...run('turning-holds', 'a note, or a pass, holds nothing'),
  },
  {
    name: 'signals: what was skipped holds nothing when it is reported again',
    file: EVENTS,
    from: ' && !isWaived(verdict, waivedGates)',
    to: ' && waivedGates.length >= 0',
    ...run('commands', 'what it reports of it again holds nothing'),
  },
  {
    name: 'signals: a gate that fails counts although it could not be measured before',
    file: EVENTS,
    from: "known?.verdict !== 'fail' && verdict.verdict === 'fail'",
    to: "known === undefined && verdict.verdict === 'fail'",
    ...run('turning-holds', 'fails now counts as failed'),
  },
  {
    name: 'signals: what cannot be read is a hard gate that fails',
    file: SIGNALLED,
    from: "hardness === undefined || verdict === undefined || gate === ''",
    to: 'hardness === undefined || verdict === undefined',
    ...run('read-verdict', 'it is hard and failed'),
  },
  {
    name: 'healing: a gate on metrics that was accepted and holds must recover',
    file: 'activities/await-change.ts',
    from: 'openBreaches(fence, passing)',
    to: 'openBreaches(fence, { ...passing, passesSoft: fence.acknowledged.length > 0 })',
    tests: ['test/activities/stories/await-change.test'],
    only: 'ends its hold by recovering',
  },
];
