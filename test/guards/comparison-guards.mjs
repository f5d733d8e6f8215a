/** Guards of the comparison with the start of a run: nothing passes unseen, and no difference does harm. */
const story = (only) => ({ tests: ['test/activities/stories/verify.test'], only });
const listed = (only) => ({ tests: ['test/activities/observe/object-list.test'], only });
const TEXTS = 'activities/evidence/kept-texts.ts';
const kept = (only) => ({ tests: ['test/activities/evidence/kept-texts.test'], only });

export const COMPARISON_GUARDS = [
  {
    name: 'comparison: what users may have changed never turns a run',
    file: 'domain/run/resume-loop.ts',
    from: '[PROBE_CODES.before, DIFFERENCE_CODE]',
    to: '[PROBE_CODES.before]',
    tests: ['test/domain/run/advance.test'],
    only: 'where policy rolls back, a comparison',
  },
  {
    name: 'comparison: where the list of the start is gone, a difference holds',
    file: 'domain/gates/survival-gates.ts',
    from: "    return 'Services, Nodes or volumes are not as at the start, and the list made then is gone';",
    to: '    return null;',
    ...story('where the list of the start is gone'),
    composed: true,
  },
  {
    name: 'comparison: a list that was edited is no list',
    file: TEXTS,
    from: 'text !== null && nativeDigest(text) === digest ? text : null',
    to: 'text',
    ...kept('one that was changed is none'),
    composed: true,
  },
  {
    name: 'comparison: no path comes from a history',
    file: TEXTS,
    from: '/^sha256:([0-9a-f]{64})$/',
    to: '/^sha256:(.+)$/',
    ...kept('names no file'),
  },
  {
    name: 'comparison: the list of the start is kept',
    file: 'activities/index.ts',
    from: '  await keepStartList(own.evidence, input, snapshot);\n',
    to: '',
    ...story('another worker, which has observed since'),
  },
  {
    name: 'comparison: a later list never takes the place of that of the start',
    file: 'activities/start-list.ts',
    from: 'evidence.keptText(run, objectsDigest)',
    to: 'evidence.keptText(run, objectsDigest).then(() => objectListText(now))',
    ...story('another worker, which has observed since'),
  },
  {
    name: 'comparison: values of annotations are in no list',
    file: 'activities/observe/object-list.ts',
    from: 'nativeDigest(value).slice(7, 23)',
    to: 'value',
    ...listed('of a Service'),
  },
  {
    name: 'comparison: what is being deleted is left out',
    file: 'activities/observe/object-list.ts',
    from: 'metadata?.deletionTimestamp === undefined',
    to: "metadata?.name !== ''",
    ...listed('what is being deleted'),
  },
  {
    name: 'comparison: an object is compared with itself only',
    file: 'domain/comparison/compared-object.ts',
    from: '`${kind} ${key} ${uid}`',
    to: '`${kind} ${key}`',
    tests: ['test/domain/comparison/differences.test'],
    only: 'compares an object only with itself',
  },
];
