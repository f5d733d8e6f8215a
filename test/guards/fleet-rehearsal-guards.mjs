/** Guards of canaries that rehearse their rollback, and of fleets that are opened again. */
const REPORTS = 'domain/fleet/member-reports.ts';
const WAVES = 'domain/fleet/waves.ts';
const COMMANDS = 'domain/fleet/row-commands.ts';
const REOPEN = 'domain/fleet/reopen-fleet.ts';
const rehearsal = { tests: ['test/domain/fleet/rehearsal.test'] };
const reopening = { tests: ['test/domain/fleet/reopen-fleet.test'] };

export const FLEET_REHEARSAL_GUARDS = [
  {
    name: 'rehearsal: only canaries of waves that ask for it',
    file: REPORTS,
    from: 'row.canary && waves[row.wave]',
    to: 'waves[row.wave]',
    ...rehearsal,
  },
  {
    name: 'rehearsal: once',
    file: REPORTS,
    from: "isWanted && row.rehearsal === 'none' && !row.stopping",
    to: 'isWanted && !row.stopping',
    ...rehearsal,
  },
  {
    name: 'rehearsal: not in a run that is told to stop',
    file: REPORTS,
    from: "isWanted && row.rehearsal === 'none' && !row.stopping",
    to: "isWanted && row.rehearsal === 'none'",
    ...rehearsal,
  },
  {
    name: 'rehearsal: a canary that still has to go back keeps its wave closed',
    file: WAVES,
    from: "if (!isFinished(row)) keys.push('canaryUnfinished');",
    to: "if (!hasEnded(row)) keys.push('canaryUnfinished');",
    ...rehearsal,
  },
  {
    name: 'rehearsal: its wave does not end meanwhile',
    file: WAVES,
    from: 'return hasEnded(row) && !awaitsRehearsal(row);',
    to: 'return hasEnded(row);',
    ...rehearsal,
  },
  {
    name: 'rehearsal: a rollback that a person asks for stays back',
    file: COMMANDS,
    from: "{ ...row, rehearsal: 'none', turnedByPerson: true }",
    to: '{ ...row, turnedByPerson: true }',
    ...rehearsal,
  },
  {
    name: 'rehearsal: what a person turns forward rolls back like any other',
    file: 'domain/fleet/fleet-rows.ts',
    from: "row.rehearsal === 'none' ? 'none' : 'forward'",
    to: 'row.rehearsal',
    ...rehearsal,
  },
  {
    name: 'rehearsal: its rollback burns when it fails',
    file: 'domain/fleet/admit-rows.ts',
    from: 'turnedByPerson: !awaitsRehearsal(row)',
    to: 'turnedByPerson: true',
    ...rehearsal,
  },
  {
    name: 'opened again: no pause of the former run delays a rollback',
    file: REOPEN,
    from: 'brakes: [], ',
    to: '',
    ...reopening,
  },
  {
    name: 'opened again: nothing that was left out is tried again',
    file: REOPEN,
    from: ', lastPassBegun: true',
    to: '',
    ...reopening,
  },
  {
    name: 'opened again: the stop of the former run is over',
    file: REOPEN,
    from: 'stopped: false, ',
    to: '',
    ...reopening,
  },
  {
    name: 'opened again: reports to the former run do not count',
    file: REOPEN,
    from: 'fleetRun, formerRun',
    to: 'formerRun',
    ...reopening,
  },
];
