/** Guards of what a fleet sends: starts that happen once, orders that keep their order. */
const OUTBOX = 'domain/fleet/fleet-outbox.ts';
const STARTS = 'activities/fleet/start-clusters.ts';
const outbox = { tests: ['test/domain/fleet/fleet-outbox.test'] };
const builds = { tests: ['test/workflows/fleet-builds.test'] };
const starts = { tests: ['test/activities/fleet/fleet-activities.test'] };

export const FLEET_CALL_GUARDS = [
  {
    name: 'fleet outbox: a start that a stop overtook does not begin',
    file: OUTBOX,
    from: 'if (row.stopping) answers',
    to: 'if (!row.stopping && row.phase === undefined) answers',
    ...outbox,
  },
  {
    name: 'fleet outbox: a start that a pause overtook waits',
    file: OUTBOX,
    from: 'taken.length < atMost && !isBraked(state, row, start)',
    to: 'taken.length < atMost',
    ...outbox,
  },
  {
    name: 'fleet outbox: a start of a former grant is void',
    file: OUTBOX,
    from: ' || row.grant !== start.grant',
    to: '',
    ...outbox,
  },
  {
    name: 'fleet outbox: the orders of a row keep their order',
    file: OUTBOX,
    from: '    blocked.add(message.row);\n',
    to: '',
    ...outbox,
  },
  {
    name: 'fleet outbox: orders follow the start of their row',
    file: OUTBOX,
    from: '...starts.map(({ row }) => row)',
    to: '',
    ...outbox,
  },
  {
    name: 'fleet starts: a grant is started once',
    file: STARTS,
    from: "  if (found.kind !== 'none' && isThisGrant(starting, found.member)) return STARTED;\n",
    to: '',
    ...starts,
  },
  {
    name: 'fleet starts: a run that an attempt may have adopted is not followed',
    file: STARTS,
    from: "  if (found.kind === 'closed' && hasJustEnded(starting, found)) return JUST_ENDED;\n",
    to: '',
    ...starts,
  },
  {
    name: 'fleet starts: only a run without a fleet is adopted',
    file: STARTS,
    from: 'found.member !== null || start.target !== FORWARD',
    to: 'start.target !== FORWARD',
    ...starts,
  },
  {
    name: 'fleet starts: only a run with the same plan is adopted',
    file: STARTS,
    from: ' || direction.planDigest !== row.planDigest',
    to: '',
    ...starts,
  },
  {
    name: 'fleet starts: no cluster without a worker',
    file: STARTS,
    from: 'if (away !== null) return away;',
    to: 'if (away !== null && row.region === String(null)) return away;',
    ...starts,
  },
  {
    name: 'fleet starts: a cluster that nothing changed keeps its plan',
    file: STARTS,
    from: 'return !ofRow || outcome?.stepsDone === 0;',
    to: 'return !ofRow;',
    ...starts,
  },
  {
    name: 'fleet broadcast: the next attempt goes on behind the last',
    file: 'activities/fleet/broadcast.ts',
    from: 'outcomesOf(scope.lastHeartbeat)',
    to: 'outcomesOf(null)',
    ...starts,
  },
  {
    name: 'fleet sweep: a run that another replaced has ended',
    file: 'activities/fleet/sweep-runs.ts',
    from: "  if (!isOurs) return { kind: 'terminated' };\n",
    to: '',
    ...starts,
  },
  {
    name: 'fleet builds: an execution stays with the build that began it',
    file: 'workers/worker-options.ts',
    from: "role === 'fleets' ? 'PINNED' : 'AUTO_UPGRADE'",
    to: "'AUTO_UPGRADE'",
    tests: ['test/workers/parts.test'],
  },
  {
    name: 'fleet builds: the next execution moves on',
    file: 'workflows/fleet/continue-fleet.ts',
    from: '    info.targetWorkerDeploymentVersionChanged ||\n',
    to: '',
    ...builds,
  },
  {
    name: 'fleet builds: a fleet that nothing wakes looks again',
    file: 'workflows/fleet-migration.ts',
    from: 'wakeDueMs(input), ',
    to: '',
    ...builds,
  },
];
