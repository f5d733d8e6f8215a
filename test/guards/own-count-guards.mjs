/** Guards of own gates that count: only events of one process, at one scrape, are counted, and each once. */
const OWN = 'domain/gates/own';
const domain = (name, only) => ({ tests: [`test/domain/gates/own/${name}.test`], only });
const config = (only) => ({ tests: ['test/config/own-gates.test'], only });
const answer = { ...domain('count-query', 'the answer to it'), composed: true };
const rounds = { ...domain('own-counts', "an operator's own gate that counts"), composed: true };
const past = { ...domain('past-baseline', 'what was usual in the past'), composed: true };

export const OWN_COUNT_GUARDS = [
  {
    name: 'own counts: what is no selector is refused',
    file: 'config/kinds/own-gates.ts',
    from: "return found.kind === 'measured' ? null : found.why;",
    to: "return found.kind === 'measured' ? null : null;",
    ...config('that counts is refused with'),
  },
  {
    name: 'own counts: bad events must be told from others',
    file: 'config/kinds/own-gates.ts',
    from: "if (found.kind === 'unmeasured' || tellsBadEvents(found.value)) return;",
    to: "if (found.kind !== 'unknown' || tellsBadEvents(found.value)) return;",
    ...config('that counts is refused with'),
  },
  {
    name: 'own counts: a label that no series has tells no bad events',
    file: `${OWN}/count-reading.ts`,
    from: 'if (misspelt !== undefined) {',
    to: 'if (misspelt === "") {',
    ...answer,
  },
  {
    name: 'own counts: a metric that no series has counts no bad events',
    file: `${OWN}/count-reading.ts`,
    from: "if (isOwn && !counted.some(([, parts]) => parts.has('picked'))) {",
    to: "if (isOwn && !counted.some(([, parts]) => parts.has('total'))) {",
    ...answer,
  },
  {
    name: 'own counts: a series without its target is refused',
    file: `${OWN}/count-reading.ts`,
    from: 'return named.some(([, value]) => value === ',
    to: 'return named.every(([, value]) => value === ',
    ...answer,
  },
  {
    name: 'own counts: a process without a start is no process',
    file: `${OWN}/count-reading.ts`,
    from: 'if (!(startedAtMs > 0))',
    to: 'if (startedAtMs < 0)',
    ...answer,
  },
  {
    name: 'own counts: a sum is of one scrape',
    file: `${OWN}/count-reading.ts`,
    from: 'if (!times.every((time) => time === scrapedAt)) {',
    to: 'if (!times.some((time) => time === scrapedAt)) {',
    ...answer,
  },
  {
    name: 'own counts: every histogram has the edge',
    file: `${OWN}/count-reading.ts`,
    from: "if (pickedAre === 'good' && one('pickedSeries') !== one('totalSeries')) {",
    to: "if (pickedAre === 'bad' && one('pickedSeries') !== one('totalSeries') && total < 0) {",
    ...answer,
  },
  {
    name: 'own counts: what is remembered has a limit',
    file: `${OWN}/count-reading.ts`,
    from: 'if (counted.length > MOST_TARGETS) {',
    to: 'if (counted.length < 0) {',
    ...answer,
  },
  {
    name: 'own counts: one target that cannot be read leaves all unmeasured',
    file: `${OWN}/count-reading.ts`,
    from: "if (sample.kind === 'unmeasured') return unmeasured(`${target}: ${sample.why}`);",
    to: "if (sample.kind === 'unmeasured') continue;",
    ...answer,
  },
  {
    name: 'own counts: the same scrapes are no further evidence',
    file: 'domain/gates/watch/after-samples.ts',
    from: "if (!isNew) return { ...state, bases, why: '' };",
    to: '',
    ...rounds,
  },
  {
    name: 'own counts: a target that counted and cannot be scraped is unread',
    file: `${OWN}/own-counts.ts`,
    from: 'return down.find((target) => Object.hasOwn(bases, shortOf(target))) ?? null;',
    to: 'return down.find(() => bases === null) ?? null;',
    ...rounds,
  },
  {
    name: 'own counts: what was not read for too long is unmeasured',
    file: `${OWN}/own-counts.ts`,
    from: 'if (agoMs > policy.unmeasuredMs) {',
    to: 'if (agoMs < 0) {',
    ...rounds,
  },
  {
    name: 'own counts: a scrape is no older than the inventory allows',
    file: 'domain/gates/watch/after-samples.ts',
    from: '{ nowMs, staleAfterMs });',
    to: '{ nowMs, staleAfterMs: staleAfterMs * 100 });',
    ...rounds,
  },
  {
    name: 'own counts: they take their part of the chance to fail falsely',
    file: 'domain/gates/watch/count-rules.ts',
    from: "own.filter(({ kind }) => kind !== 'gauge').length",
    to: "own.filter(({ kind }) => kind === 'gauge').length",
    ...rounds,
  },
  {
    name: 'own counts: each process of the past by itself',
    file: `${OWN}/past-baseline.ts`,
    from: 'const before = bases.get(sample.place);',
    to: 'const before = [...bases.values()][0];',
    ...past,
  },
  {
    name: 'own counts: an answer with scrapes is no answer',
    file: 'activities/gates/own-readings.ts',
    from: "kind === 'raw'",
    to: "kind !== 'raw' && kind !== 'calculated'",
    tests: ['test/activities/adapters/metrics/broken-answers.test'],
    only: 'that is broken never passes',
  },
  {
    name: 'own counts: a query is shared by clusters with the same labels, at the same time',
    file: 'activities/gates/metric-batcher.ts',
    from: "JSON.stringify(['joined', key, over, Object.keys(match).sort()])",
    to: "JSON.stringify(['joined', key])",
    tests: ['test/activities/gates/metric-batcher.test'],
    only: 'of other times or labels are others',
  },
  {
    name: 'own counts: check and plan read them, too',
    file: 'activities/gates/gate-sources.ts',
    from: 'Promise.all((metricGates?.own ?? []).map(',
    to: 'Promise.all((metricGates?.own ?? []).slice(99).map(',
    tests: ['test/activities/gates/gate-sources.test'],
    only: "reads what the operator's own gates ask for, once each",
  },
  {
    name: 'own counts: their windows are dropped for a heartbeat that would be too large',
    file: 'activities/guard/guard-memory.ts',
    from: '{ own: { ...own, counted: slimBook(own.counted) } }',
    to: '{ own }',
    tests: ['test/activities/guard/guard-memory.test'],
    only: 'windows of own gates that began at any minute go first',
  },
];
