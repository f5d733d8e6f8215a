/** Guards of what people are told about a fleet: nothing is claimed that is not known, and no cluster is left out silently. */
const fleetCheck = (only) => ({ tests: ['test/cli/plan/fleet-check.test'], only });
const findingGroups = (only) => ({ tests: ['test/cli/plan/finding-groups.test'], only });

export const FLEET_PEOPLE_GUARDS = [
  {
    name: 'check of a fleet: one that cannot be read does not end the others',
    file: 'cli/plan/check-members.ts',
    from: "    return { kind: 'unread', name, why: unreadBecause(cluster, error, signal) };",
    to: '    throw error;',
    ...fleetCheck('one that cannot be read is a result'),
  },
  {
    name: 'check of a fleet: one that cannot be read is not clear',
    file: 'cli/commands/check-fleet.ts',
    from: 'check.unread.length === 0 && ',
    to: '',
    ...fleetCheck('keeps a check from being clear'),
  },
  {
    name: 'check of a fleet: a preview is not clear',
    file: 'cli/commands/check-fleet.ts',
    from: ' && check.clusters.every(({ notChecked }) => notChecked.length === 0)',
    to: '',
    ...fleetCheck('a preview that is never all clear'),
  },
  {
    name: 'check of a fleet: one cluster under two names',
    file: 'cli/plan/read-clusters.ts',
    from: 'same.length > 1',
    to: 'same.length > 2',
    ...fleetCheck('one cluster under two names'),
  },
  {
    name: 'check of a fleet: what the server was not asked is said',
    file: 'cli/commands/check-fleet.ts',
    from: 'notChecked: [`whether workers',
    to: 'notChecked: [][`whether workers',
    ...fleetCheck('without a Temporal server'),
  },
  {
    name: 'check of a fleet: equal findings are told once',
    file: 'cli/plan/finding-groups.ts',
    from: 'JSON.stringify([code, severity, why, fix])',
    to: 'JSON.stringify([code, severity, why, fix, each.clusters])',
    ...fleetCheck('an equal finding is told once'),
  },
  {
    name: 'check of a fleet: its text is bounded',
    file: 'cli/plan/fleet-check-text.ts',
    from: 'seen.slice(0, MOST_SEEN)',
    to: 'seen.slice(0)',
    ...findingGroups('stays a few lines'),
  },
  {
    name: 'check of a fleet: slots for every cluster that may be unproven',
    file: 'cli/plan/fleet-findings.ts',
    from: 'return slots >= needed',
    to: 'return slots >= 1',
    ...findingGroups('too few guard slots'),
  },
  {
    name: 'status of a silent fleet: what the index does not know is said',
    file: 'cli/screens/fleet-screen.ts',
    from: ', which lags; clusters that wait are not in it',
    to: '',
    tests: ['test/cli/screens/fleet-screen.test'],
    only: 'what the search index counts',
  },
  {
    name: 'status of a silent fleet: runs of an older fleet of its name are not its own',
    file: 'cli/fleets/visible-runs.ts',
    from: 'new Date(beganMs)',
    to: 'new Date(0)',
    tests: ['test/workflows/fleet-commands.test'],
    only: 'counted from the search index',
  },
  {
    name: 'reach of a command: other clusters that are away are not its matter',
    file: 'domain/fleet/command-reach.ts',
    from: 'meant.has(row.index) && ',
    to: '',
    tests: ['test/domain/fleet/command-reach.test'],
    only: 'about its own clusters',
  },
  {
    name: 'reach of a command: a message in flight has not arrived',
    file: 'cli/fleets/send-fleet-command.ts',
    from: '  if (!isStillTold(answer)) return answer;',
    to: '  return answer;',
    tests: ['test/workflows/fleet-commands.test'],
    only: 'says whom it could not reach',
  },
];
