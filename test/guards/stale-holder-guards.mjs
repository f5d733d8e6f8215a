/** Guards of `staleHolder: kill`: only a stopped manager is ended, this very one, in the run's epoch, and only where the policy says so. */
const RULE = 'domain/decision/steps/end-paused-manager.ts';
const STEP = 'activities/execute/kill-manager.ts';
const NODE = 'activities/adapters/ssh/remote-processes.sh';

const rule = (only) => ({ tests: ['test/domain/decision/steps/end-paused-manager'], only });
const composed = { ...rule('a paused manager is left alone, with the reason'), composed: true };
const story = (only) => ({ tests: ['test/activities/stories/stale-holder'], only });
const read = { ...story('leaves it alone when this is read right before'), composed: true };
const node = (only) => ({ tests: ['test/activities/adapters/ssh/processes.test'], only });

export const STALE_HOLDER_GUARDS = [
  {
    name: 'stale holder: a policy that holds ends nothing',
    file: RULE,
    from: "    if (policy.staleHolder !== 'kill') return NOT_NEEDED;\n",
    to: '',
    tests: ['test/domain/decision/steps/end-paused-manager'],
  },
  {
    name: 'stale holder: nothing on a node that cannot be reached',
    file: RULE,
    from: "  if (!node.reachable) return 'its node cannot be reached';\n",
    to: '',
    ...composed,
  },
  {
    name: 'stale holder: nothing without a start time',
    file: RULE,
    from: "  if (process.startedAtMs === null) return 'its start time is unreadable';\n",
    to: '',
    ...composed,
  },
  {
    name: 'stale holder: nothing where two managers have one id',
    file: RULE,
    from: "  if (sharing.length > 1) return 'two managers have its process id';\n",
    to: '',
    ...composed,
  },
  {
    name: 'stale holder: nothing that runs without leader election',
    file: RULE,
    from: "  if (!process.config.leaderElect) return 'it runs without leader election';\n",
    to: '',
    ...composed,
  },
  {
    name: 'stale holder: nothing whose Leases have no holder',
    file: RULE,
    from: "(findLease(observation, ref)?.holder ?? '') !== ''",
    to: "(findLease(observation, ref)?.holder ?? '') !== 'x'",
    ...composed,
  },
  {
    name: 'stale holder: it cures the paused manager alone',
    file: RULE,
    from: "['CCM3008'],",
    to: "['CCM3001', 'CCM3008'],",
    ...rule('names the process, and cures the paused manager alone'),
  },
  {
    name: 'stale holder: it is ended before what hides owners blocks every rule',
    file: 'domain/decision/next-step.ts',
    from: "  if (ended.kind !== 'notNeeded') return ended;\n",
    to: '',
    tests: ['test/domain/decision/steps/end-paused-manager'],
  },
  {
    name: 'stale holder: the step asks the policy again',
    file: 'activities/execute/preconditions.ts',
    from: "      if (policy.staleHolder !== 'kill') return 'its policy does not end paused managers';\n",
    to: '',
    ...story('is refused by a policy that holds'),
  },
  {
    name: 'stale holder: the step asks again whether it may be ended',
    file: STEP,
    from: '  if (why !== null) throw notThatOne(paused, why);\n',
    to: '',
    ...story('asks the rule again'),
  },
  {
    name: 'stale holder: the host shows one process with its id, of that manager',
    file: STEP,
    from: 'others.length > 0 || found.manager !== manager',
    to: 'others.length < 0',
    ...read,
  },
  {
    name: 'stale holder: the host shows the start that was observed',
    file: STEP,
    from: 'if (!(apartMs <= START_TOLERANCE_MS)) throw',
    to: 'if (apartMs < 0) throw',
    ...read,
  },
  {
    name: 'stale holder: an agent that reports no start ends nothing',
    file: 'activities/adapters/machines/node-access-http.ts',
    from: 'z.number().int().nonnegative().nullable().default(null)',
    to: 'z.number().int().nonnegative().nullable().default(0)',
    tests: ['test/activities/adapters/node-access-http'],
    only: 'leaves it unknown',
  },
  {
    name: 'stale holder: the host shows it still stopped',
    file: STEP,
    from: "  if (!found.paused) throw notThatOne(paused, 'it runs again');\n",
    to: '',
    ...read,
  },
  {
    name: 'stale holder: its end is proven, by id and start',
    file: STEP,
    from: 'pid === named.pid && startTicks === named.startTicks',
    to: 'pid < 0 && startTicks === named.startTicks',
    ...story('waits until its host shows it no more'),
  },
  {
    name: 'stale holder: a lost answer is no end while the process is there',
    file: 'activities/fence/find-effect.ts',
    from: 'startTicks === null || processDigest(',
    to: 'processDigest(',
    tests: ['test/activities/fence/find-effect'],
    only: 'whether a lost end of a process took effect',
    composed: true,
  },
  {
    name: 'ssh: another process with the same id is not ended',
    file: NODE,
    from: '  [ "$ticks" = "$2" ] || state_letter=X\n',
    to: '',
    ...node('only those that a signal has stopped'),
  },
  {
    name: 'ssh: a manager that runs is not ended',
    file: NODE,
    from: '    *) refuse awake "process $1 runs (state $state_letter)" ;;\n',
    to: '    *) kill -s KILL "$1" ;;\n',
    ...node('only those that a signal has stopped'),
  },
  {
    name: 'ssh: a manager that a tracer holds is not ended',
    file: NODE,
    from: '    t) refuse traced "$1" ;;\n',
    to: '    t) kill -s KILL "$1" ;;\n',
    ...node('ends no manager that a tracer holds'),
  },
];
