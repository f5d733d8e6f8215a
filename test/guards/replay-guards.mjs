/** Guards of what was signed before: for another plan, direction, fleet or workflow it is no use. */
const JUDGE = 'activities/authority/judge-run.ts';
const AUTHORISE = 'domain/authority/authorise.ts';
const FENCE = 'activities/fence/take-fence.ts';

const replayed = (only) => ({ tests: ['test/activities/authority/replayed-requests.test'], only });

export const REPLAY_GUARDS = [
  {
    name: 'replay: an approval is of the plan that was begun',
    file: JUDGE,
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
];
