/** Guards of what a run's guards remember, and of workers that are gone. */
const story = (only) => ({ tests: ['test/activities/stories/object-gates.test'], only });
const kept = { tests: ['test/activities/guard/kept-memory.test'] };
const counts = { tests: ['test/domain/gates/watch/lost-past.test'] };
const objects = { tests: ['test/domain/gates/objects/watch-without-past.test'] };
const moves = {
  tests: ['test/workflows/breaches.test'],
  only: 'leaves what it remembered to the next one',
};

export const GUARD_MEMORY_GUARDS = [
  {
    name: 'guard memory: a final failure carries it',
    file: 'activities/guard/kept-memory.ts',
    from: 'const withIt = [details?.[0] ?? {}, memory];',
    to: 'const withIt = [details?.[0] ?? {}];',
    ...kept,
  },
  {
    name: 'guard memory: after a cancellation every failure is final',
    file: 'activities/guard/kept-memory.ts',
    from: 'return signal.aborted || (',
    to: 'return (',
    ...kept,
  },
  {
    name: 'guard memory: the run takes it from a failure',
    file: 'workflows/guard-runner.ts',
    from: '? cause.details?.[1]',
    to: '? undefined',
    ...moves,
  },
  {
    name: 'guard memory: a guard is told that the run may have written',
    file: 'workflows/guard-runner.ts',
    from: '...(mayHaveWritten(state) ?',
    to: '...(mayHaveWritten(state) && state.beganAtMs === 0 ?',
    ...moves,
  },
  {
    name: 'guard memory: what a guard sees after a write is not how things were before',
    file: 'activities/guard/guard-cluster.ts',
    from: 'mayHaveWritten === undefined ? memory',
    to: 'mayHaveWritten !== null ? memory',
    ...story('lost what it knew of a run that may have written'),
  },
  {
    name: 'guard memory: a book without a reading begins too late',
    file: 'activities/gates/books-after-writes.ts',
    from: 'book === undefined || book.lastAtMs === null ? null : book',
    to: 'book === undefined ? null : book',
    tests: ['test/activities/gates/books-after-writes.test'],
  },
  {
    name: 'guard memory: time without figures is unknown',
    file: 'domain/ownership/ownership.ts',
    from: 'empty.map((each) => ({ ...each, staleOwners: [] }))',
    to: 'empty',
    ...story('lost what it knew of a run that may have written'),
  },
  {
    name: 'lost past: counts of now are not what was usual',
    file: 'domain/gates/watch/after-samples.ts',
    from: 'state.isPastLost === true ? null : usual(',
    to: 'usual(',
    ...counts,
  },
  {
    name: 'lost past: a gate that counts does not pass',
    file: 'domain/gates/watch/judge-counts.ts',
    from: 'if (state.isPastLost !== true ||',
    to: 'if (state.kind !== undefined ||',
    ...counts,
  },
  {
    name: 'lost past: no acceptance ends it for counts',
    file: 'domain/gates/watch/add-round.ts',
    from: '{ ...state, watch: watchFrom(lastAtMs) }',
    to: '{ ...state, isPastLost: undefined, watch: watchFrom(lastAtMs) }',
    ...counts,
  },
  {
    name: 'lost past: objects do not pass',
    file: 'domain/gates/objects/judge-objects.ts',
    from: "if (booked.kind === 'lost') return UNKNOWN_PAST;",
    to: "if (booked.kind === 'lost') return { verdict: 'pass', detail: what };",
    ...objects,
  },
  {
    name: 'lost past: sight is not left out',
    file: 'domain/gates/objects/judge-objects.ts',
    from: "isOwnerLost === true ? [judged('cloudSight', UNKNOWN_PAST)] : []",
    to: '[]',
    ...objects,
  },
  {
    name: 'lost past: failures of unknown age are no note',
    file: 'domain/gates/objects/cloud-sight.ts',
    from: "said.some(({ booked }) => booked.kind === 'lost')",
    to: "said.some(({ booked }) => booked.kind === 'counted')",
    ...objects,
  },
  {
    name: 'admission: a worker that is gone is noticed',
    file: 'workflows/activity-proxies.ts',
    from: 'startToCloseTimeout: ADMITS_WITHIN_MS,\n    heartbeatTimeout: input.timings.heartbeatMs,',
    to: 'startToCloseTimeout: ADMITS_WITHIN_MS,',
    tests: ['test/workflows/admission.test'],
    only: 'that a worker took and left is admitted by another',
  },
  {
    name: 'admission: one that waits heartbeats',
    file: 'activities/index.ts',
    from: 'admitCommand: (input) => heartbeating(dependencies, input, (own) => admitCommandOf(own, input)),',
    to: 'admitCommand: (input) => admitCommandOf(dependencies, input),',
    tests: ['test/activities/authority/admission-heartbeat.test'],
  },
  {
    name: 'reset: an execution asks for a fence of its own',
    file: 'workflows/run-context.ts',
    from: 'return `${workflowInfo().runId}/${String(fences)}`;',
    to: 'return `${runIdentity().runId}/${String(fences)}`;',
    tests: ['test/workflows/reset-run.test'],
  },
];
