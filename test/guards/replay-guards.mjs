/** Guards of what was signed before: for another plan, direction, fleet or workflow it is no use. */
const JUDGE = 'activities/authority/judge-run.ts';
const AUTHORISE = 'domain/authority/authorise.ts';
const FENCE = 'activities/fence/take-fence.ts';
const REQUIRE = 'activities/authority/require-authority.ts';

const ORDERS = 'domain/run/apply-orders.ts';

const bound = (only) => ({ tests: ['test/domain/run/bound-orders.test'], only });
const replayed = (only) => ({ tests: ['test/activities/authority/replayed-requests.test'], only });

export const REPLAY_GUARDS = [
  {
    name: 'replay: a fleet relays no command whose time has not come',
    file: 'activities/authority/carried-commands.ts',
    from: "if (!hasBegun(command, nowMs)) return 'it is not valid yet';",
    to: "if (!hasBegun(command, Infinity)) return 'it is not valid yet';",
    ...replayed('whose time has not come turns nothing'),
  },
  {
    name: 'replay: a fleet relays no command that no worker can have accepted',
    file: 'activities/authority/judge-run.ts',
    from: 'overlong: ofFleet.filter((each) => !isAcceptable(access)(each)),',
    to: 'overlong: ofFleet.filter((each) => !isAcceptable(access)(each) && nowMs < 0),',
    ...replayed('for longer than the policy allows turns nothing'),
  },
  {
    name: 'replay: a relayed command that was accepted stays so',
    file: 'activities/authority/require-authority.ts',
    from: 'const long = overlong.find(isNew);',
    to: 'const long = overlong[0];',
    ...replayed('stays accepted when the policy allows less'),
  },
  {
    name: 'replay: an approval is of the plan that was begun',
    file: 'activities/authority/carried-commands.ts',
    from: "verb === 'approve' && !turned ? { plan: planDigest }",
    to: "verb === 'stop' && !turned ? { plan: planDigest }",
    ...replayed('an approval of another plan approves nothing'),
  },
  {
    name: 'replay: a run follows the plan that was signed',
    file: JUDGE,
    from: 'run.planDigest !== statement.plan) return OTHER_PLAN;',
    to: 'run.planDigest === null) return OTHER_PLAN;',
    ...replayed('a run follows the plan that was signed'),
  },
  {
    name: 'replay: a command counts once a worker has admitted it',
    file: REQUIRE,
    from: 'commands.find(isNew)',
    to: "commands.find(({ digest }) => digest === '')",
    ...replayed('a command that no worker has admitted in time turns and approves nothing'),
  },
  {
    name: 'replay: admissions are read where the evidence of the run is',
    file: REQUIRE,
    from: '  await requireEvidence(evidence, input);\n',
    to: '',
    ...replayed('where the evidence of a run was lost, that is what is told of its commands'),
  },
  {
    name: 'replay: a refusal on record is no admission',
    file: 'activities/evidence/chain-state.ts',
    from: "entry.authority.verdict === 'accepted'",
    to: "entry.authority.verdict !== ''",
    ...replayed(
      'a command that was refused when it arrived counts no more than one that never did',
    ),
  },
  {
    name: 'replay: a turn ends what was approved before it',
    file: AUTHORISE,
    from: 'const given = commands.slice(last + 1);',
    to: 'const given = commands;',
    ...replayed('an approval does not outlast a change of direction'),
  },
  {
    name: 'replay: commands to an earlier fleet are none',
    file: AUTHORISE,
    from: 'return isSameRun || command.notBefore >= notBefore - SKEW_MS / 1000;',
    to: 'return isSameRun || command.notBefore > 0;',
    ...replayed('a command to an earlier fleet of its name turns nothing'),
  },
  {
    name: 'replay: a new plan names its run',
    file: AUTHORISE,
    from: "verb === 'revise' && command.runId === runId;",
    to: "verb === 'revise';",
    ...replayed('a new plan lets no command in that was given to another run'),
  },
  {
    name: 'replay: the run of a member is that of its cluster',
    file: JUDGE,
    from: 'member === null || workflowId === clusterWorkflowId(uid)',
    to: "member === null || workflowId !== ''",
    ...replayed('a member runs nowhere but in the workflow of its cluster'),
  },
  {
    name: 'replay: what displaces another run is what was judged',
    file: FENCE,
    from: "if (takeOverReason(input) === '') return refused(heldByAnother(fence));",
    to: 'if (input.takeOver === undefined) return refused(heldByAnother(fence));',
    ...replayed('displaces no one'),
  },
  {
    name: 'replay: an order turns a run by a command that it has not followed',
    file: ORDERS,
    from: "return signed === undefined ? target === 'kcm' : !isSpent(spent, signed);",
    to: "return signed === undefined ? target === 'kcm' : spent !== null;",
    ...bound('does not turn it with a command that was given to the run itself'),
  },
  {
    name: 'replay: an order without a command turns no run forward',
    file: ORDERS,
    from: "return signed === undefined ? target === 'kcm' : !isSpent(spent, signed);",
    to: 'return signed === undefined || !isSpent(spent, signed);',
    ...bound('without a command turns it back only'),
  },
  {
    name: 'replay: an order without a word tries nothing again that waits for a person',
    file: ORDERS,
    from: 'if (word === undefined || isSpent(state.spent, word)) return state;',
    to: 'if (word === undefined) return triedAgain(state);',
    ...bound('without a command tries nothing again'),
  },
  {
    name: 'replay: a word counts once',
    file: ORDERS,
    from: 'if (word === undefined || isSpent(state.spent, word)) return state;',
    to: 'if (word === undefined) return state;',
    ...bound('once, and a worker is told'),
  },
  {
    name: 'replay: commands to the run itself are remembered as used',
    file: 'domain/run/apply-commands.ts',
    from: 'const used = withSpent(state, signed);',
    to: 'const used = state;',
    ...bound('does not turn it with a command that was given to the run itself'),
  },
  {
    name: 'replay: what a fleet relays is on record',
    file: FENCE,
    from: 'for (const { statement, digest: of, by, role: as } of relayed) {',
    to: 'for (const { statement, digest: of, by, role: as } of relayed.slice(0, 0)) {',
    ...replayed('a command that a fleet relays is on record'),
  },
  {
    name: 'replay: a statement is remembered for longer than any clock would take it',
    file: 'activities/fence/fence-record.ts',
    from: 'notAfter * 1000 >= nowMs - CLOCKS_DIFFER_MS',
    to: 'notAfter * 1000 >= nowMs',
    tests: ['test/activities/fence/fence.test'],
    only: 'stay a day longer than they could come again',
  },
];
