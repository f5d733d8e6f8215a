/** Guards of activities that work in the name of a run: it must be the one that has them done, and its evidence that of the run. */
const ownRun = (only) => ({ tests: ['test/activities/own-run.test'], only });
const admitted = (only) => ({ tests: ['test/activities/authority/admitted-commands.test'], only });
const elsewhere = {
  tests: ['test/activities/stories/last-moment.test'],
  only: 'or in the folder of another worker',
};

export const OWN_RUN_GUARDS = [
  {
    name: 'what is observed is told to those who may ask',
    file: 'activities/index.ts',
    from: "  await requireAuthority(own, input, HARMLESS, 'AuthorityLost');\n  const start",
    to: '  const start',
    tests: ['test/activities/authority/refused-runs'],
  },
  {
    name: 'which cluster answers is told to those who may ask',
    file: 'activities/index.ts',
    from: "    await requireAuthority(own, input, HARMLESS, 'NotAuthorised');\n",
    to: '',
    tests: ['test/activities/authority/refused-runs'],
  },
  {
    name: 'a run for which no one may ask leaves nothing in the fence',
    file: 'activities/fence/close-run.ts',
    from: 'if (await mayNote()) await noteEnd',
    to: 'await noteEnd',
    tests: ['test/activities/authority/refused-runs'],
  },
  {
    name: 'an approval that names nothing is of the handover only',
    file: 'domain/authority/authorise.ts',
    from: "(what === HANDOVER_APPROVAL && subject === '')",
    to: "subject === ''",
    tests: ['test/domain/authority/direction-commands'],
  },
  {
    name: 'an approval without a code is signed for the finding that waits',
    file: 'cli/runs/approved-code.ts',
    from: "  if (!isOpen || status?.holdReason !== 'blocked') return given;\n",
    to: "  if (!isOpen || status?.holdReason !== 'approval') return given;\n",
    tests: ['test/cli/runs/approved-code'],
  },
  {
    name: 'own run: an activity works for the run that asks for it',
    file: 'activities/require-own-run.ts',
    from: 'if (askedBy === undefined) return;',
    to: 'if (named.runId !== undefined) return;',
    ...ownRun('is refused to whom it does not name'),
  },
  {
    name: 'own run: an activity without a workflow works for no run',
    file: 'activities/require-own-run.ts',
    from: 'if (askedBy === undefined) return;',
    to: 'if (askedBy === undefined || askedBy === null) return;',
    ...ownRun('is refused to whom it does not name'),
  },
  {
    name: 'own run: a run that has continued is known by its first one',
    file: 'activities/require-own-run.ts',
    from: '(await askedBy.firstRun()) === named.runId',
    to: 'false',
    ...ownRun('is done for a run that has continued'),
  },
  {
    name: 'own run: a command is admitted for the run that asks',
    file: 'activities/index.ts',
    from: `    admitCommand: async (input) => {
      await requireOwnRun(dependencies.scope(), input);`,
    to: '    admitCommand: async (input) => {',
    ...ownRun('is refused to whom it does not name'),
  },
  {
    name: 'own run: a command is admitted beside the evidence of its run',
    file: 'activities/authority/admit-command.ts',
    from: '    await requireEvidence(evidence, input);',
    to: '',
    ...admitted('is admitted only beside the evidence'),
  },
  {
    name: 'own run: a worker says what has its activities done',
    file: 'workers/activity-dependencies.ts',
    from: 'askedBy: asking === undefined ? null : { ...asking, firstRun: () => firstRun(asking) },',
    to: '',
    ...{ tests: ['test/workers/first-runs.test'], only: 'an activity in a worker' },
  },
  {
    name: 'own run: a guard tells the execution that has it done',
    file: 'workers/announce-breach.ts',
    from: 'getHandle(workflowId, runId)',
    to: "getHandle(workflowId, '')",
    ...{ tests: ['test/workers/announce-breach.test'], only: 'told to the execution that goes on' },
  },
  {
    name: 'own run: no fence is taken without its evidence',
    file: 'activities/fence/take-fence.ts',
    from: '  await requireEvidence(evidence, input);',
    to: '',
    ...elsewhere,
  },
  {
    name: 'own run: no step is taken without its evidence',
    file: 'activities/execute/execute-step.ts',
    from: '    await requireEvidence(evidence, input);',
    to: '',
    ...elsewhere,
  },
  {
    name: 'own run: it does not end without its evidence',
    file: 'activities/fence/close-run.ts',
    from: '  await requireEvidence(evidence, input);',
    to: '',
    ...elsewhere,
  },
];
