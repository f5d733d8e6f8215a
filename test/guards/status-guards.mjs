/** Guards of `status` and of what can be typed: what was not observed is never shown as zero, and a shell runs no part of a name. */
const CONTACT = 'cli/runs/run-view.ts';
const HEADER = 'cli/screens/header.ts';
const readOnlyVerbs = (only) => ({ tests: ['test/cli/plan/read-only-verbs.test'], only });
const contact = { tests: ['test/cli/runs/contact.test'] };
const header = (only) => ({ tests: ['test/cli/screens/header.test'], only });

export const STATUS_GUARDS = [
  {
    name: 'status: heartbeats of another kind count as no observation',
    file: CONTACT,
    from: 'memory.observations > 0 ? seenBy(memory) : null',
    to: 'seenBy(memory)',
    ...contact,
  },
  {
    name: 'status: a failure before the last observation of the guard is over',
    file: CONTACT,
    from: 'failedAtMs > seenAtMs',
    to: 'failedAtMs > 0',
    ...contact,
  },
  {
    name: 'status: a lost worker is no outage of the cluster',
    file: CONTACT,
    from: 'attempt < 2 || !lastFailure?.applicationFailureInfo',
    to: 'attempt < 2 || !lastFailure',
    ...contact,
  },
  {
    name: 'status: no figure before the first observation',
    file: HEADER,
    from: '  if (seen === null) {\n    const owner',
    to: '  if (seen === null && outage !== null) {\n    const owner',
    ...header('figures are never zero before the first observation'),
  },
  {
    name: 'status: a former leader is not shown as the present one',
    file: HEADER,
    from: 'outage === null\n      ? `${who}, seen',
    to: 'outage === null || outage.attempts > 0\n      ? `${who}, seen',
    ...header('the leader is unknown from the last observation on'),
  },
  {
    name: 'status: time without observations is no time with a leader',
    file: HEADER,
    from: "unknownSeconds > 0 ? `, not known for ${shownDuration(unknownSeconds * 1000)}` : ''",
    to: "unknownSeconds > 1000 ? `, not known for ${shownDuration(unknownSeconds * 1000)}` : ''",
    ...header("the guard's figures when"),
  },
  {
    name: 'status: a list shows no leader while the cluster is unreachable',
    file: 'cli/screens/run-list.ts',
    from: 'seen === null || contact?.outage',
    to: 'seen === null',
    tests: ['test/cli/screens/run-list.test'],
  },
  {
    name: 'status: a list shows no zero where nothing was counted',
    file: 'cli/screens/run-list.ts',
    from: "figures === null ? 'not known' : shownDuration(figures.orphanSeconds * 1000)",
    to: 'shownDuration((figures?.orphanSeconds ?? 0) * 1000)',
    tests: ['test/cli/screens/run-list.test'],
  },
  {
    name: 'typable: a shell runs nothing inside a word of a command',
    file: 'cli/typed-command.ts',
    from: 'return /^[\\w@%+=:,./-]+$/.test(word) ? word :',
    to: 'return /^[^\\0]+$/.test(word) ? word :',
    ...header('a suggested command is quoted for the shell'),
  },
  {
    name: 'typable: a command that needs files has them',
    file: 'cli/screens/typable.ts',
    from: 'const known = ended || needsFiles ?',
    to: 'const known = ended ?',
    ...header('a suggested command has the files that it needs'),
  },
  {
    name: 'typable: after the end the next run is planned from files',
    file: 'cli/screens/typable.ts',
    from: 'const known = ended || needsFiles ?',
    to: 'const known = needsFiles ?',
    ...header('a suggested command has the files that it needs'),
  },
  {
    name: 'typable: files that are not known are named as missing',
    file: 'cli/screens/typable.ts',
    from: "needsFiles && known.length === 0 ? ['-f', 'FILES'] : known",
    to: 'known',
    ...header('a suggested command has the files that it needs'),
  },
  {
    name: 'typable: a preview is not the plan to apply next',
    file: 'cli/plan/plan-text.ts',
    from: "steps.length === 0 || notChecked.length > 0 || ending.kind !== 'done'",
    to: "steps.length === 0 || ending.kind !== 'done'",
    ...readOnlyVerbs('plan suggests check as the next command'),
  },
  {
    name: 'connection: a retry that waits begins no call on a closed connection',
    file: 'cli/runs/ended-retries.ts',
    from: '(isOver ? SILENT : nextCall(again))',
    to: 'nextCall(again)',
    tests: ['test/cli/runs/ended-retries.test'],
    only: 'closed meanwhile',
  },
];
