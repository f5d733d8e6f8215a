/** Guards of gates that count events: what never passes, and what never fails a run. */
const WATCH = 'domain/gates/counts/count-watch.ts';
const STARTS = 'domain/gates/counts/count-starts.ts';
const RULE = 'domain/gates/counts/count-rule.ts';
const VERDICT = 'domain/gates/counts/count-verdict.ts';
const FAULT = 'domain/gates/counts/increment-fault.ts';
const verdict = { tests: ['test/domain/gates/counts/count-verdict.test'] };
const watch = { tests: ['test/domain/gates/counts/count-watch.test'] };
const baseline = { tests: ['test/domain/gates/counts/count-baseline.test'] };
const evidence = { tests: ['test/domain/gates/counts/count-evidence.test'] };

export const COUNT_GATE_GUARDS = [
  {
    name: 'count gates: NaN and infinity are unmeasured',
    file: FAULT,
    from: "if (!numbers.every(Number.isFinite)) return 'notANumber';",
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: more bad than there were is unmeasured',
    file: FAULT,
    from: "if (bad > total) return 'moreBadThanTotal';",
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: the future is unmeasured',
    file: FAULT,
    from: "return atMs > nowMs ? 'fromTheFuture' : null;",
    to: 'return nowMs < 0 ? null : null;',
    ...baseline,
  },
  {
    name: 'count gates: a source that fell silent is unmeasured',
    file: VERDICT,
    from: 'nowMs - watch.lastAtMs <= rule.staleAfterMs',
    to: 'rule.staleAfterMs > 0',
    ...verdict,
  },
  {
    name: 'count gates: a rule with NaN is unusable',
    file: VERDICT,
    from: "if (!isUsableRule(rule)) return 'unusableRule';",
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: too few events do not pass',
    file: VERDICT,
    from: 'harm !== null && harm <= harmThatMustShow(rule)',
    to: 'bad === 0 || (harm !== null && harm <= harmThatMustShow(rule))',
    ...verdict,
  },
  {
    name: 'count gates: a suspicion does not pass',
    file: VERDICT,
    from: "if (isSuspected(watch)) return { kind: 'suspect', numbers };",
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: a failure needs errors in three scrapes',
    file: WATCH,
    from: 'start[4] >= LEAST_BAD_SCRAPES &&',
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: a failure stands without its worst burst',
    file: WATCH,
    from: 'evidenceWithoutWorst(start, rule) >= threshold',
    to: 'true',
    ...verdict,
  },
  {
    name: 'count gates: a failure is told as it was first shown',
    file: WATCH,
    from: 'watch.failed !== null ||',
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: a failure stays',
    file: VERDICT,
    from: 'if (watch.failed !== null)',
    to: 'if (watch.failed !== null && isSuspected(watch))',
    ...verdict,
  },
  {
    name: 'count gates: dispersion weakens evidence',
    file: RULE,
    from: 'Math.max(harm, overLimit) / dispersion - halved',
    to: 'Math.max(harm, overLimit) - halved',
    ...verdict,
  },
  {
    name: 'count gates: a baseline ages',
    file: RULE,
    from: 'tolerance: rule.tolerance * (1 + aged)',
    to: 'tolerance: rule.tolerance * (1 + 0 * aged)',
    ...verdict,
  },
  {
    name: 'count gates: less than the floor is no harm',
    file: RULE,
    from: 'if (window.bad < leastRatio * window.total) return 0;',
    to: '',
    ...verdict,
  },
  {
    name: 'count gates: starts are given up by age',
    file: STARTS,
    from: 'return spacedByAge([...minutes, emptyStart(atMs, share / 2)], atMs);',
    to: 'return spacedByAge([...minutes, emptyStart(atMs, share / 2)], 1e15);',
    ...watch,
  },
  {
    name: 'count gates: all starts share one chance to alarm falsely',
    file: STARTS,
    from: '4 / ((step + 3) * (step + 4)) / 2',
    to: '1 / 2',
    ...watch,
  },
  {
    name: 'count gates: lifetime counters weigh little',
    file: 'domain/gates/counts/count-baseline.ts',
    from: 'Math.min(1, MOST_LIFETIME_EVENTS / Math.max(1, counted.total))',
    to: '1',
    ...baseline,
  },
  {
    name: 'count gates: what the mixture costs is paid',
    file: 'domain/gates/counts/count-evidence.ts',
    from: 'return Math.max(0, gained - paid);',
    to: 'return Math.max(0, gained - 0 * paid);',
    ...evidence,
  },
];
