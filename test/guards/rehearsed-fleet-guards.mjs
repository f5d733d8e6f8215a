/** Guards of rehearsals: nothing real is reached, nothing waits for days, and the simulator's journal judges. */
const ENVIRONMENT = 'testbed/demo/rehearsal/private-environment.ts';
const FLEET = 'testbed/demo/rehearsal/rehearsed-fleet.ts';
const CLAIMS = 'testbed/demo/rehearsal/rehearsal-claims.ts';
const ACCOUNT = 'testbed/demo/rehearsal/rehearsed-account.ts';
const ANSWERS = 'testbed/demo/rehearsal/rehearsal-answers.ts';
const files = { tests: ['test/testbed/demo/rehearsal/rehearsed-files.test'] };
const claims = { tests: ['test/testbed/demo/rehearsal/rehearsal-claims.test'] };
const answers = { tests: ['test/testbed/demo/rehearsal/rehearsal-answers.test'] };

export const REHEARSED_FLEET_GUARDS = [
  {
    name: 'rehearsal of a fleet: no server of the environment is known to it',
    file: ENVIRONMENT,
    from: '!/^(TEMPORAL|CCM_MIGRATE)_/.test(name)',
    to: '!/^(CCM_MIGRATE)_/.test(name)',
    ...answers,
  },
  {
    name: 'rehearsal of a fleet: no start waits for its date',
    file: FLEET,
    from: 'rollout: { ...rollout, retryAfter',
    to: 'rollout: { ...spec.rollout, retryAfter',
    ...files,
  },
  {
    name: 'rehearsal of a fleet: a planned cluster that is not on its CCM is no success',
    file: CLAIMS,
    from: 'holds: right.length === plan.clusters.length && right.length > 0,',
    to: 'holds: right.length > 0,',
    ...claims,
  },
  {
    name: 'rehearsal of a fleet: unproven clusters are counted',
    file: CLAIMS,
    from: 'holds: mostUnproven <= unproven,',
    to: 'holds: true,',
    ...claims,
  },
  {
    name: 'rehearsal of a fleet: caps are counted for each value',
    file: CLAIMS,
    from: 'holds: most <= cap,',
    to: 'holds: true,',
    ...claims,
  },
  {
    name: 'rehearsal of a fleet: a time without owner that lasts counts',
    file: ACCOUNT,
    from: 'toMs === null || toMs >= sinceMs',
    to: 'toMs !== null && toMs >= sinceMs',
    ...claims,
  },
  {
    name: 'rehearsal of a fleet: who asked for it does not approve it',
    file: ANSWERS,
    from: '`${REQUESTER}-${index + 2}`',
    to: 'REQUESTER',
    ...answers,
  },
];
