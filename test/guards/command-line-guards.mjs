/** Guards of what is typed: nothing is ignored that would change what a command does, and nothing begins that cannot be followed. */
const refused = (only) => ({ tests: ['test/cli/refused-flags.test'], only });

export const COMMAND_LINE_GUARDS = [
  {
    name: 'watch: what cannot heal is told at once',
    file: 'cli/screens/follow-run.ts',
    from: '      if (!mayHeal(error)) throw error;\n',
    to: '',
    tests: ['test/cli/terminal-sessions/outage.test'],
    only: '`status -w` ends at once where the server',
    composed: true,
  },
  {
    name: 'apply: a saved plan decides about the cluster and the direction',
    file: 'cli/commands/apply.ts',
    from: 'const typed = DECIDED_BY_PLAN.find(([name]) => options.isTyped(name));',
    to: 'const typed = DECIDED_BY_PLAN.find(([name]) => name === path && options.isTyped(name));',
    ...refused('refuses what the plan has decided'),
  },
  {
    name: 'apply: the limit of a watch is read before anything is started',
    file: 'cli/run.ts',
    from: '      checkValues(invocation.verb, cli.options);\n',
    to: '',
    ...refused('is refused before the verb begins'),
  },
  {
    name: 'apply: no limit of what is not watched',
    file: 'cli/runs/watch-time.ts',
    from: 'if (timeoutMs === null || watches) return timeoutMs;',
    to: 'if (timeoutMs === null || watches || options.text("timeout") !== "") return timeoutMs;',
    ...refused('refuses a limit where nothing is watched'),
  },
  {
    name: 'state folder: one without a note is no other server',
    file: 'cli/runs/connection.ts',
    from: "if (found.kind === 'note') return;",
    to: "if (found.kind === 'note' || stateDir !== '') return;",
    tests: ['test/cli/runs/server-address.test'],
    only: 'is refused instead of another server',
  },
  {
    name: 'fleets: a code is not ignored',
    file: 'cli/fleets/foreign-flags.ts',
    from: "  ['code', '--code', 'waives a finding of the run of one cluster'],\n",
    to: '',
    ...refused('refuses what a fleet would ignore'),
  },
];
