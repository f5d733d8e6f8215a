/** Guards of `check` and `plan`: no preview is applied, and nothing that was not checked is shown as passed. */
const PRESUMED = 'activities/adapters/machines/node-access-presumed.ts';
const TOTALS = 'cli/plan/plan-text.ts';
const PREFLIGHT = 'domain/preflight/preflight.ts';
const readOnlyVerbs = (only) => ({ tests: ['test/cli/plan/read-only-verbs.test'], only });
const PREVIEW = readOnlyVerbs('check is a preview that never passes');
const SAVED_PREVIEW = readOnlyVerbs('is saved as a preview that apply refuses');
const presumed = (only) => ({
  tests: ['test/activities/adapters/node-access-presumed.test'],
  only,
});
const results = {
  tests: ['test/domain/preflight/cluster-checks.test'],
  only: 'passes none that was not observed',
};

export const CHECK_GUARDS = [
  {
    name: 'preview: a plan that was made without node access is not applied',
    file: 'cli/plan/renewed-plan.ts',
    from: '  if (saved.notChecked.length > 0) throw preview(path, saved);\n',
    to: '',
    ...SAVED_PREVIEW,
  },
  {
    name: 'preview: nothing is applied from files either',
    file: 'cli/plan/agreed-plan.ts',
    from: "if (nodeAccess.kind !== 'none') return;",
    to: "if (name !== '') return;",
    ...readOnlyVerbs('apply from files is refused before any question'),
  },
  {
    name: 'preview: says that it is one',
    file: 'cli/plan/inspect-cluster.ts',
    from: 'notChecked: isPreview ? NOT_LOOKED_AT : []',
    to: 'notChecked: []',
    ...PREVIEW,
  },
  {
    name: 'CCM1210: hosts that were not inspected are an error',
    file: 'domain/preflight/node-checks.ts',
    from: 'notChecked.length === 0',
    to: 'notChecked.length >= 0',
    ...PREVIEW,
  },
  {
    name: 'check: a preview is never all clear, whatever is left out',
    file: 'cli/commands/check.ts',
    from: ' && notChecked.length === 0 ?',
    to: ' ?',
    ...PREVIEW,
  },
  {
    name: 'check: what was not checked has not passed',
    file: PREFLIGHT,
    from: "  if (!isSeen) return 'notChecked';\n",
    to: '',
    ...results,
  },
  {
    name: 'check: what is presumed has not passed',
    file: PREFLIGHT,
    from: "isPresumed ? 'presumed' : 'passed'",
    to: "isPresumed ? 'passed' : 'passed'",
    ...results,
  },
  {
    name: 'check: only what passed is counted as passed',
    file: 'cli/plan/check-text.ts',
    from: "result === 'passed').length",
    to: "result !== 'found').length",
    ...readOnlyVerbs('check shows what passed, the cluster'),
  },
  {
    name: 'check: what was not checked is shown as such',
    file: 'cli/plan/check-text.ts',
    from: "notChecked: ['waiting', ' (not checked)'],",
    to: "notChecked: ['ok', ''],",
    ...readOnlyVerbs('check shows what passed, the cluster'),
  },
  {
    name: 'presumed: nothing is written by it',
    file: PRESUMED,
    from: '      ...refusing.files,\n',
    to: '      ...refusing.files,\n      write: () => Promise.resolve(),\n',
    ...presumed('refuses every write'),
  },
  {
    name: 'presumed: a Pod that is no static pod proves no manifest',
    file: PRESUMED,
    from: 'isMirror(each) && manifestPath',
    to: 'manifestPath',
    ...presumed('shows no manifest'),
  },
  {
    name: 'presumed: a node is described by its own Pods only',
    file: PRESUMED,
    from: 'items.filter(({ spec }) => spec?.nodeName === node)',
    to: 'items.filter(({ spec }) => spec?.nodeName !== undefined)',
    ...presumed('only the Pods of that node'),
  },
  {
    name: 'presumed: a container that waits is no process',
    file: PRESUMED,
    from: 'if (startedAt === undefined || container === undefined) return [];',
    to: 'if (container === undefined) return [];',
    ...presumed('that does not run'),
  },
  {
    name: 'totals: machines are deleted by name',
    file: TOTALS,
    from: "[of('addMachine'), of('removeMachine')]",
    to: "[of('addMachine'), of('addMachine')]",
    ...readOnlyVerbs('a plan ends with totals, the names of deleted machines'),
  },
  {
    name: 'totals: a file is no object',
    file: TOTALS,
    from: "return subject.includes(':/') ? 'file' : 'object';",
    to: "return 'object';",
    tests: ['test/cli/golden'],
    only: 'plan of a fresh cluster',
  },
  {
    name: 'totals: how long there is no leader',
    file: TOTALS,
    from: '    gapLine(policy),\n',
    to: '',
    ...readOnlyVerbs('a plan ends with totals, the names of deleted machines'),
  },
];
