/** Guards of clocks that are set: no time counts that nothing was observed in, and nothing read in the future. */
const SOAK = 'activities/soak.ts';
const soaks = (only) => ({ tests: ['test/activities/stories/soak-clock.test'], only });

export const CLOCK_GUARDS = [
  {
    name: 'guard: what could not be told is told with a later round',
    file: 'activities/guard/breach-teller.ts',
    from: 'if (!isNew && !isOwed) return;',
    to: 'if (!isNew) return;',
    tests: ['test/activities/guard/breach-teller.test'],
    only: 'is told with a later round',
  },
  {
    name: 'clocks: one sample of a soak adds its pause and a request at most',
    file: SOAK,
    from: 'return Math.min(Math.max(0, toMs - fromMs), mostMs);',
    to: 'return Math.min(Math.max(0, toMs - fromMs), mostMs + 1e12);',
    ...soaks('two hours forward are no soak of two hours'),
  },
  {
    name: 'clocks: a sample takes nothing of what was soaked',
    file: SOAK,
    from: 'Math.max(0, toMs - fromMs)',
    to: '(toMs - fromMs)',
    ...soaks('two hours back take nothing of what was soaked'),
  },
  {
    name: 'clocks: a clock that is set back does not keep a soak from listing the inventory',
    file: SOAK,
    from: ' || beganMs < listedAtMs',
    to: '',
    ...soaks('two hours back take nothing of what was soaked'),
  },
  {
    name: 'clocks: the patience of a soak is counted by its samples',
    file: SOAK,
    from: 'unmeasuredMs + creditedMs(failedAtMs ?? nowMs, nowMs, input);',
    to: 'unmeasuredMs + nowMs - (failedAtMs ?? nowMs);',
    ...soaks('its patience with what cannot be measured is as long'),
  },
  {
    name: 'clocks: objects that were read in the future are not read',
    file: 'domain/gates/objects/object-watch.ts',
    from: 'const isAhead = agoMs < -CLOCK_TOLERANCE_MS;',
    to: 'const isAhead = agoMs < -1e12;',
    tests: ['test/domain/gates/objects/object-watch.test'],
    only: 'further ahead than clocks may be counts for nothing',
  },
  {
    name: 'clocks: a gauge that was read in the future is not read',
    file: 'domain/gates/watch/judge-gauge.ts',
    from: 'if (latest.atMs > nowMs) {',
    to: 'if (latest.atMs > nowMs + 1e12) {',
    tests: ['test/domain/gates/watch/gauges-and-books.test'],
    only: 'a sample of a worker whose clock is',
  },
];
