/** Guards of alerts: what they hold, and that they keep no harm in place. */
const breaches = (only) => ({ tests: ['test/domain/run/alert-breaches.test'], only });
const brakes = (only) => ({ tests: ['test/domain/fleet/alert-brakes.test'], only });

export const ALERT_GUARDS = [
  {
    name: 'automation: an alert keeps no breach from a policy that rolls back',
    file: 'domain/run/guard-events.ts',
    from: '(isPaused(state) && !isAlerted)',
    to: 'isPaused(state)',
    ...breaches('does so where an alert has paused'),
  },
  {
    name: 'automation: an alert keeps no failed step from a policy that rolls back',
    file: 'domain/run/resume-loop.ts',
    from: '  if (isLeftToPolicy(state)) return pausedByAlert(state);\n',
    to: '',
    ...breaches('does so where the alert comes while the step is in flight'),
  },
  {
    name: 'automation: policy turns no run that a person has paused beside an alert',
    file: 'domain/run/alert-pauses.ts',
    from: "pauses.every(({ yields }) => yields === 'toPolicy')",
    to: "pauses.some(({ yields }) => yields === 'toPolicy')",
    ...breaches('does not where'),
  },
  {
    name: 'automation: what an alert of an older build paused waits for a person',
    file: 'domain/run/alert-pauses.ts',
    from: "pauses.every(({ yields }) => yields === 'toPolicy')",
    to: 'pauses.every(({ yields }) => yields !== undefined)',
    ...breaches('where a run of an older build was paused'),
  },
  {
    name: 'automation: policy turns no parked run that an alert has paused',
    file: 'domain/run/alert-pauses.ts',
    from: "yieldsAll && state.membership.slot === 'held'",
    to: 'yieldsAll',
    ...breaches('does not where'),
  },
  {
    name: 'automation: a hold with a time ends with its cause while an alert pauses the run',
    file: 'domain/run/resume-loop.ts',
    from: "turns ? holdCommand(state) : { kind: 'awaitCommand' }",
    to: "turns && state.pendingTurn === null ? holdCommand(state) : { kind: 'awaitCommand' }",
    ...breaches('gives it up where the cause passes'),
  },
  {
    name: 'automation: a run that an alert has paused looks again only for what policy turns for',
    file: 'domain/run/breach-rules.ts',
    from: 'rules.some(turns)',
    to: 'rules.length > 0',
    ...breaches('leaves the run paused, without another look'),
  },
  {
    name: 'automation: the pause of a fleet by an alert holds no rollback',
    file: 'domain/fleet/wait-reasons.ts',
    from: '[brakeOfRollback, retry,',
    to: '[brake, retry,',
    ...brakes('holds no rollback that was ordered before it'),
  },
  {
    name: 'automation: the pause of a fleet by a person holds rollbacks',
    file: 'domain/fleet/wait-reasons.ts',
    from: 'brakes.filter(({ actor }) => !isAutomation(actor))',
    to: 'brakes.filter(({ actor }) => isAutomation(actor) && !isAutomation(actor))',
    ...brakes('gives way to that of a person'),
  },
  {
    name: 'automation: the pause of a fleet by a person is put beside that of an alert',
    file: 'domain/fleet/brakes.ts',
    from: ' && holdsAsMuch(each, actor)',
    to: '',
    ...brakes('gives way to that of a person'),
  },
  {
    name: 'automation: the rollback of a rehearsal is no answer to harm, and waits',
    file: 'domain/fleet/wait-reasons.ts',
    from: "row.rehearsal === 'back' ? brakes : brakesOfPeople(brakes)",
    to: 'brakesOfPeople(brakes)',
    ...brakes('holds the rollback of a rehearsal'),
  },
  {
    name: 'automation: a rehearsal that waits keeps no rollback behind it',
    file: 'domain/fleet/queue-lanes.ts',
    from: ", rehearsal === 'back']",
    to: ']',
    ...brakes('lets a rollback pass a rehearsal'),
  },
  {
    name: 'automation: in a fleet the pause of an alert overtakes no rollback either',
    file: 'workflows/fleet/fleet-admission.ts',
    from: 'isAlert: isAutomation(command.actor)',
    to: 'isAlert: false',
    tests: ['test/workflows/overtaken-rollback.test'],
    only: 'follows a rollback that waits for its admission',
  },
];
