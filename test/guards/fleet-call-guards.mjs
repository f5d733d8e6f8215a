/** Guards of what a fleet sends: starts that happen once, orders that keep their order. */
const OUTBOX = 'domain/fleet/fleet-outbox.ts';
const STARTS = 'activities/fleet/start-clusters.ts';
const outbox = { tests: ['test/domain/fleet/fleet-outbox.test'] };
const builds = { tests: ['test/workflows/fleet-builds.test'] };
const starts = { tests: ['test/activities/fleet/fleet-activities.test'] };

const CLAIMS = 'domain/fleet/claimed-ends.ts';
const claims = (only) => ({ tests: ['test/domain/fleet/claimed-ends.test'], only });
const reports = (only) => ({ tests: ['test/workflows/fleet-reports.test'], only });

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
    from: ' || beginObstacle(state, headroom, row) !== null);',
    to: ');',
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
    name: 'fleet broadcast: an order that the server refuses is of its run alone',
    file: 'workers/temporal-runs.ts',
    from: "    return error instanceof WorkflowNotFoundError ? 'over' : 'unreachable';",
    to: "    if (error instanceof WorkflowNotFoundError) return 'over';\n    if (isRefusal(error)) throw mapped(workflowId, error);\n    return 'unreachable';",
    tests: ['test/workflows/fleet-activities.test'],
  },
  {
    name: 'fleet starts: a run that could not be told is not one that has ended',
    file: STARTS,
    from: "{ answer: 'queued', signature: 'its run could not be told' }",
    to: 'JUST_ENDED',
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
  {
    name: 'fleet reports: an end is confirmed by its run',
    file: CLAIMS,
    from: "return report.what.kind === 'ended' ? 'claim' : 'counts';",
    to: "return 'counts';",
    ...claims('of an end is a claim'),
  },
  {
    name: 'fleet reports: of what is in flight alone',
    file: CLAIMS,
    from: 'row !== undefined && row.grant === grant && isUnproven(row) ? row : null',
    to: 'row ?? null',
    ...claims('though its first grant can be guessed'),
  },
  {
    name: 'fleet reports: a start that has not been answered has no run yet',
    file: CLAIMS,
    from: "  if (unstarted.includes(report.row)) return 'early';\n",
    to: '',
    ...claims('whose start has not been answered waits'),
  },
  {
    name: 'fleet reports: another end than the one that is found does not count',
    file: CLAIMS,
    from: "  if (what.outcome !== found.outcome) return { kind: 'swept', ...swept };\n",
    to: '',
    ...claims('counts as found where its run'),
  },
  {
    name: 'fleet reports: what came early is heard later',
    file: 'workflows/fleet-migration.ts',
    from: '      hearEarlyReports(fleet, tell);\n',
    to: '',
    ...reports('before the answer to its start counts'),
  },
  {
    name: 'fleet sweep: a start that is kept back has no run to be missed',
    file: 'workflows/fleet/fleet-calls.ts',
    from: '!unstarted.includes(index)',
    to: '!fleet.starting.includes(index)',
    ...reports('nor is its run missed'),
  },
];
