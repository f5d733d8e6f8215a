/** Guards of accounts: what an export claims is told as a claim, and nothing in it passes for a line of ours. */
const REQUESTS = 'test/cli/audit/account/account-requests.test';
const SHOW = 'test/cli/audit/account/audit-show.test';
const RUN = 'test/cli/audit/account/run-account.test';
const sender = (only) => ({ tests: [REQUESTS], only });
const shown = (only) => ({ tests: [SHOW], only });
const told = (only) => ({ tests: [RUN], only });
const written = (only) => ({ tests: ['test/activities/stories/shown-changes.test'], only });
const KNOWN = 'cli/audit/account/known-sender.ts';
const CHANGES = 'cli/audit/account/account-changes.ts';

export const ACCOUNT_GUARDS = [
  {
    name: 'account: a signature without trust is not checked',
    file: KNOWN,
    from: "how: 'unchecked', principal: named",
    to: "how: 'signed', principal: named",
    ...sender('a signature without trust'),
  },
  {
    name: 'account: a signature that proves nothing is forged',
    file: KNOWN,
    from: "how: 'forged', principal: ''",
    to: "how: 'signed', principal: named",
    ...sender('a key that no one trusts'),
  },
  {
    name: 'account: who signed is compared with the evidence',
    file: KNOWN,
    from: "if (named !== '' && named !== principal)",
    to: "if (named === '' && named === principal)",
    ...sender('a signature that the evidence gives to another'),
  },
  {
    name: 'account: what was signed is compared with what is told',
    file: KNOWN,
    from: "if (word !== 'ticket') return statement[word] === '';",
    to: "if (word !== 'ticket') return true;",
    ...sender('a reason that was not signed'),
  },
  {
    name: 'account: what only the evidence has is doubted',
    file: 'cli/audit/account/account-requests.ts',
    from: "verdict === 'accepted' ?",
    to: "verdict === 'refused' ?",
    ...sender('a signer in the evidence is doubted'),
  },
  {
    name: 'account: a change belongs to its step and epoch',
    file: CHANGES,
    from: '`${step} ${String(epoch)}`',
    to: '`${step} ${String(epoch === -1)}`',
    ...told('of another epoch are not its own'),
  },
  {
    name: 'account: a step that wrote nothing has no changes',
    file: CHANGES,
    from: "member(failure?.details, 'wrote') === false",
    to: "member(failure?.details, 'wrote') === null",
    ...told('of one that says that it wrote nothing'),
  },
  {
    name: 'account: foreign text is one line',
    file: 'cli/terminal/wording.ts',
    from: 'return oneLine(cut);',
    to: 'return cut;',
    ...shown('can neither move the cursor'),
  },
  {
    name: 'account: it ends as audit verify does',
    file: 'cli/audit/proven-export.ts',
    from: 'if (proven.some(({ passed }) => !passed))',
    to: 'if (proven.length > 1 && proven.some(({ passed }) => !passed))',
    ...shown('it makes the checks of'),
  },
  {
    name: 'account: a spreadsheet gets no formula',
    file: 'cli/terminal/csv-text.ts',
    from: 'FORMULA.test(text) ?',
    to: 'FORMULA.test(text.slice(1)) ?',
    tests: ['test/cli/terminal/csv-text.test'],
    only: 'is read back as it was',
  },
  {
    name: 'diff: environment variables are masked',
    file: 'domain/yaml/redacted-diff.ts',
    from: 'redact(maskEnvironment(text))',
    to: 'redact(text)',
    tests: ['test/domain/yaml/redacted-diff.test'],
    only: 'no value of an environment variable',
  },
  {
    name: 'diff: each text is redacted as a whole',
    file: 'domain/yaml/redacted-diff.ts',
    from: 'redact(maskEnvironment(text))',
    to: 'maskEnvironment(text)',
    tests: ['test/domain/yaml/redacted-diff.test'],
    only: 'a change below a key shows no line of the key',
  },
  {
    name: 'diff: manifests inside a ConfigMap are masked',
    file: 'activities/object-change.ts',
    from: '[key, maskEnvironment(String(text))]',
    to: '[key, String(text)]',
    ...written('is shown, without secrets'),
  },
  {
    name: 'diff: a manifest that is put in place is shown',
    file: 'activities/execute/change-static-pod.ts',
    from: '{ content: successor, diff }',
    to: '{ content: successor }',
    ...written('is shown, without secrets'),
  },
  {
    name: 'diff: the files of a new machine are shown',
    file: 'activities/execute/add-machine.ts',
    from: 'diff: boundedDiff(filesOfMachine(files))',
    to: "diff: ''",
    ...written('is shown, without secrets'),
  },
  {
    name: 'diff: no line of it can move the cursor',
    file: 'cli/terminal/diff-text.ts',
    from: 'theme.paint(toneOf(line), shownText(line))',
    to: 'theme.paint(toneOf(line), line)',
    tests: ['test/cli/terminal/diff-text.test'],
    only: 'no line can move the cursor',
  },
];
