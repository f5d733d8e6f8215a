/** Guards of the fence and of the workflow that watches it: nothing changes unguarded. Stories on the simulator must fail without them. */

const story = (name, only) => ({
  tests: [`test/activities/stories/${name}.test`],
  ...(only === undefined ? {} : { only }),
});
const renewal = (only) => ({ tests: ['test/activities/guard/fence-renewal.test'], only });
const VERDICT = 'activities/fence/read-fence.ts';
const WATCH = 'activities/guard/fence-watch.ts';

export const FENCE_GUARDS = [
  {
    name: 'fence: only a guard opens an epoch',
    file: VERDICT,
    from: 'if (guardedEpoch !== epoch) {',
    to: 'if (guardedEpoch > epoch) {',
    tests: ['test/activities/fence/fence.test'],
  },
  {
    name: 'fence: a renewal far in the future does not open it',
    file: VERDICT,
    from: 'if (age < -limit) {',
    to: 'if (age < -1000 * limit) {',
    tests: ['test/activities/fence/fence.test'],
    only: 'a server far ahead has renewed',
  },
  {
    name: 'fence: servers whose clocks differ a little do not close it',
    file: VERDICT,
    from: 'if (age < -limit) {',
    to: 'if (age < 0) {',
    tests: ['test/activities/fence/fence.test'],
    only: 'a server three intervals ahead has renewed',
  },
  {
    name: 'fence: a guard renews what a server ahead has renewed',
    file: WATCH,
    from: '  if (age < -earlyMs) return true;\n',
    to: '',
    ...renewal('by the next answer of a correct one'),
  },
  {
    name: 'fence: a small difference of clocks is no reason to renew it',
    file: WATCH,
    from: 'if (age < -earlyMs) return true;',
    to: 'if (age < 0) return true;',
    ...renewal('where the difference is small'),
  },
  {
    name: 'fence: verdicts of gates from the future are not recent',
    file: 'activities/fence/gate-notes.ts',
    from: '!(Math.abs(ageMs) <= renewal',
    to: '!(ageMs <= renewal',
    tests: ['test/activities/fence/gate-notes.test'],
    only: 'is unmeasured with',
  },
  {
    name: 'fence: waking the guard closes it',
    file: 'activities/fence/read-fence.ts',
    from: "{ ...fenceNotes({ mode: 'active' }), ...closed }",
    to: "fenceNotes({ mode: 'active' })",
    ...story('unguarded', 'newer than its waking'),
  },
  {
    name: 'fence: a run does not re-acquire what it has released',
    file: 'activities/fence/take-fence.ts',
    from: 'if (fence.ended.includes(input.runId))',
    to: 'if (fence.epoch < 0)',
    ...story('ending', 'is final'),
  },
  {
    name: 'fence: acquiring it and an unguarded end change nothing on nodes',
    file: 'activities/execute/execute-step.ts',
    from: '  await dropUsedSuccessors(session);\n',
    to: '',
    ...story('cut-off', 'a successor that is in place already'),
  },
  {
    name: 'fence: a breach must be acknowledged',
    file: 'activities/fence/fence-record.ts',
    from: 'input.acknowledge || before.acknowledged.includes(key)',
    to: 'true',
    tests: ['test/activities/fence/fence.test'],
    only: 'no breach that was not acknowledged',
  },
  {
    name: 'a failed step reports what it began',
    file: 'activities/execute/execute-step.ts',
    from: 'const wrote = counts.intents > 0;',
    to: 'const wrote = counts.intents < 0;',
    ...story('unguarded', 'in the middle of a step'),
  },
  {
    name: 'the guard rests where nothing changes',
    file: 'activities/guard/guard-cluster.ts',
    from: 'Math.min(guardIdleMs, fenceRenewIdleMs)',
    to: 'guardIdleMs / 10',
    ...story('resting-guard', 'a tenth of the requests'),
  },
  {
    name: 'the guard is woken by its watch',
    file: WATCH,
    from: "told(type === 'DELETED'",
    to: "void (type === 'DELETED'",
    ...story('resting-guard', 'wakes within a second'),
  },
  {
    name: 'the guard reads the fence where no watch stays',
    file: WATCH,
    from: '      this.news = { fence };\n      this.follow',
    to: '      this.follow',
    ...story('resting-guard', 'where it may not watch'),
  },
  {
    name: 'gates are read after the fence is renewed, not beside that',
    file: 'activities/guard/guard-round.ts',
    from: 'const waits = sampler.isRead();',
    to: 'const waits = false;',
    ...story('resting-guard', 'reads its gates once it has renewed the fence'),
  },
  {
    name: 'time without observations is recorded as unknown',
    file: 'activities/guard/guard-round.ts',
    from: '? unseenSince(trace) : trace',
    to: '? trace : trace',
    ...story('guard-memory', 'unknown'),
  },
  {
    name: 'the guard heartbeats rarely',
    file: 'activities/guard/guard-cluster.ts',
    from: 'last?.news === news',
    to: "last?.news === ''",
    ...story('guard-memory', 'heartbeats at a third of its heartbeat timeout'),
  },
  {
    name: 'the guard reports a breach at intervals only',
    file: 'activities/guard/guard-cluster.ts',
    from: 'SAME_AGAIN_MS = 30_000',
    to: 'SAME_AGAIN_MS = 0',
    ...story('guard-memory', 'at most every half minute'),
  },
  {
    name: 'requests share one listener on their signal',
    file: 'activities/on-abort.ts',
    from: 'WAITING.get(signal) ?? listen(signal)',
    to: 'listen(signal)',
    ...story('many-nodes'),
  },
];
