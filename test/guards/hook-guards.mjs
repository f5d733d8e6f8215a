/** Guards of automation: an alert pulls the brake once, and nothing that it says lets anything go on. */
const runs = (only) => ({ tests: ['test/domain/run/automation.test'], only });
const fleets = (only) => ({ tests: ['test/domain/fleet/automated-commands.test'], only });
const orders = (only) => ({ tests: ['test/domain/automation/orders.test'], only });
const tokens = (only) => ({ tests: ['test/config/automation/tokens.test'], only });
const requests = (only) => ({ tests: ['test/workflows/hook-requests.test'], only });

export const HOOK_GUARDS = [
  {
    name: 'automation: it gives no word of people to a run',
    file: 'domain/run/apply-commands.ts',
    from: '  if (isAutomation(command.actor)) return applyAutomated(state, command);\n',
    to: '',
    ...runs('automation is refused'),
  },
  {
    name: 'automation: it gives no word of people to a fleet',
    file: 'domain/fleet/fleet-commands.ts',
    from: 'if (!isAutomation(command.actor)) return carryOut',
    to: 'if (command.actor !== "") return carryOut',
    ...fleets('it is refused'),
  },
  {
    name: 'automation: another spelling gains no rights',
    file: 'domain/run/automation.ts',
    from: 'actor.trim().toLowerCase().startsWith(PREFIX)',
    to: 'actor.startsWith(PREFIX)',
    ...runs('however it is spelled'),
  },
  {
    name: 'automation: a rollback needs the word of the policy',
    file: 'domain/run/automation.ts',
    from: "policy.rollBack !== 'allowed' || ",
    to: '',
    ...runs('a rollback pauses where'),
  },
  {
    name: 'automation: an alert older than the run does not turn it',
    file: 'domain/run/automation.ts',
    from: 'return alertSinceMs >= beganAtMs;',
    to: 'return true;',
    ...runs('a rollback pauses where'),
  },
  {
    name: 'automation: an alert older than the last word of a person changes nothing',
    file: 'domain/run/automation.ts',
    from: 'alertSinceMs <= lastWord.atMs',
    to: 'alertSinceMs < 0',
    ...runs('began before a person said'),
  },
  {
    name: 'automation: the words of people are carried to later executions',
    file: 'domain/run/begin-run.ts',
    from: '    ...others,\n',
    to: '',
    ...runs('began before a person said'),
  },
  {
    name: 'automation: a fleet turns no run whose policy refuses it',
    file: 'domain/run/apply-orders.ts',
    from: "return turns && isAutomation(by.actor) && automationIn(policy).rollBack === 'refused';",
    to: 'return turns && by.actor === "" && isAutomation("") && automationIn(policy) === null;',
    ...runs('that the policy refuses pauses the run'),
  },
  {
    name: 'automation: a rollback of several runs pauses',
    file: 'domain/automation/orders-for-runs.ts',
    from: 'const single = runs.length === 1;',
    to: 'const single = true;',
    ...orders('a rollback of several runs'),
  },
  {
    name: 'automation: what a sender left out rolls nothing back',
    file: 'domain/automation/requested-orders.ts',
    from: "if (isTruncated) return 'the sender left alerts out';",
    to: '',
    ...orders('where alerts were left out'),
  },
  {
    name: 'automation: labels become no part of a query',
    file: 'domain/automation/requested-orders.ts',
    from: 'value !== undefined && NAME.test(value)',
    to: 'value !== undefined',
    ...orders('labels that name nothing usable'),
  },
  {
    name: 'automation: the id of a command does not change with a retry',
    file: 'domain/automation/orders-for-runs.ts',
    from: 'fingerprint, startsAtMs, verb, run });',
    to: 'fingerprint, startsAtMs, verb, run, at: Math.random() });',
    ...orders('the id of a command changes'),
  },
  {
    name: 'automation: an unknown name is in no scope',
    file: 'domain/automation/automation-token.ts',
    from: "name !== '' && ",
    to: '',
    ...orders('and the name'),
    composed: true,
  },
  {
    name: 'tokens: an expired one does not count',
    file: 'cli/server/token-file.ts',
    from: "isLive(token, nowMs) ? { kind: 'known', token }",
    to: "nowMs > 0 ? { kind: 'known', token }",
    ...tokens('counts until it expires'),
  },
  {
    name: 'tokens: a file that others may read is refused',
    file: 'cli/server/token-file.ts',
    from: 'if ((mode & FOR_OTHERS) !== 0) return wrong(TOO_OPEN);',
    to: '',
    ...tokens('no one else may read it'),
  },
  {
    name: 'tokens: three live ones of a name are refused',
    file: 'config/automation/automation-tokens.ts',
    from: '> LIVE_PER_NAME)',
    to: '> 99)',
    ...tokens('is refused, and no value'),
  },
  {
    name: 'hooks: a run is in scope by its real name',
    file: 'domain/automation/automation-token.ts',
    from: 'return matchesAny(clusters, name) ||',
    to: 'return clusters.length > 0 ||',
    ...requests('by its real name'),
  },
  {
    name: 'hooks: a body is bounded while it arrives',
    file: 'cli/server/read-body.ts',
    from: '      if (size > LARGEST_BODY) return TOO_LARGE;\n      chunks',
    to: '      chunks',
    ...requests('grows beyond 1 MiB'),
  },
  {
    name: 'hooks: Temporal away asks the sender to try again',
    file: 'domain/automation/hook-answer.ts',
    from: "if (has('unavailable', 'tooMany')) return 503;",
    to: '',
    ...requests('answers 503'),
  },
];
