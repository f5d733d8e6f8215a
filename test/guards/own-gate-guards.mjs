/** Guards of the operator's own gates: what is no fresh measurement never passes, and a blip turns no run. */
const OWN = 'domain/gates/own';
const domain = (name, only) => ({ tests: [`test/domain/gates/own/${name}.test`], only });
const config = (only) => ({ tests: ['test/config/own-gates.test'], only });
const problems = {
  tests: ['test/config/problems.test'],
  only: 'a problem is reported at its place',
};
const story = (only) => ({ tests: ['test/activities/stories/own-gates.test'], only });
const unproven = { ...domain('own-gates', 'is not shown to fail by'), composed: true };
const unmeasured = { ...domain('own-gates', 'is unmeasured'), composed: true };

export const OWN_GATE_GUARDS = [
  {
    name: 'own gates: an expression whose brackets do not match is refused',
    file: `${OWN}/promql-selectors.ts`,
    from: 'if (last?.closing !== token.text) return null;',
    to: 'if (last === undefined) continue;',
    ...domain('promql-selectors', 'are not told where there is'),
  },
  {
    name: 'own gates: an expression whose quotes do not match is refused',
    file: `${OWN}/promql-selectors.ts`,
    from: 'if (other !== undefined && `"\'\\``.includes(other)) return null;',
    to: '',
    ...domain('promql-selectors', 'are not told where there is'),
  },
  {
    name: 'own gates: an expression without series is refused, as nothing dates it',
    file: 'config/kinds/own-gates.ts',
    from: 'if (found.selectors.length === 0) {',
    to: 'if (found.selectors.length < 0) {',
    ...config('is refused with'),
  },
  {
    name: 'own gates: a name of ours is refused',
    file: 'config/kinds/own-gates.ts',
    from: '!TAKEN.includes(written)',
    to: 'TAKEN.length > 0',
    ...config('is refused with'),
  },
  {
    name: 'own gates: a name stands for one gate',
    file: 'config/kinds/metric-gates.ts',
    from: 'if (own.findIndex((other) => other.name === name) === index) continue;',
    to: 'if (index >= 0) continue;',
    ...config('has a name of its own'),
  },
  {
    name: 'own gates: each cluster of their policy needs a Prometheus',
    file: 'config/rules/fleet-rules.ts',
    from: 'if (policy.content.spec.gates.metrics.own.length === 0) return [];',
    to: 'if (name !== null) return [];',
    ...problems,
  },
  {
    name: 'own gates: a value of which no series was scraped is unmeasured',
    file: `${OWN}/gauge-query.ts`,
    from: "if (times.length === 0) return unmeasured('none of its series was scraped lately');",
    to: 'if (times.length === 0) times.push(nowMs);',
    ...domain('gauge-query', 'is unmeasured with'),
  },
  {
    name: 'own gates: an answer from the future is unmeasured',
    file: `${OWN}/gauge-query.ts`,
    from: 'if (Math.max(atMs, ...times) > nowMs + CLOCK_TOLERANCE_MS) {',
    to: 'if (atMs < 0 && CLOCK_TOLERANCE_MS > 0) {',
    ...domain('gauge-query', 'is unmeasured with'),
  },
  {
    name: 'own gates: a value of old scrapes is unmeasured',
    file: `${OWN}/gauge-query.ts`,
    from: 'if (!(ageMs <= staleAfterMs)) {',
    to: 'if (ageMs < -staleAfterMs) {',
    ...domain('gauge-query', 'is unmeasured with'),
  },
  {
    name: 'own gates: the oldest scrape dates a value',
    file: `${OWN}/gauge-query.ts`,
    from: 'Math.min(...times)',
    to: 'Math.max(...times)',
    ...domain('gauge-query', 'is its value with the oldest of its scrapes'),
  },
  {
    name: 'own gates: an answer of a cache is as old as its scrape',
    file: `${OWN}/gauge-query.ts`,
    from: 'Math.max(nowMs, atMs) - scrapedAtMs',
    to: 'atMs - scrapedAtMs',
    ...domain('gauge-query', 'of a cache is as old as its scrape'),
  },
  {
    name: 'own gates: an answer without a sample is unmeasured at once',
    file: `${OWN}/own-book.ts`,
    from: 'refused: true, why: shortened(reading.why)',
    to: 'why: shortened(reading.why)',
    ...unmeasured,
  },
  {
    name: 'own gates: the same scrape does not stay fresh for ever',
    file: `${OWN}/own-book.ts`,
    from: 'if (isOld && latest.scrapedAtMs === sample.scrapedAtMs) {',
    to: 'if (isOld && latest.scrapedAtMs > sample.scrapedAtMs) {',
    ...unmeasured,
  },
  {
    name: 'own gates: the same scrape is no further evidence',
    file: `${OWN}/own-book.ts`,
    from: 'if (latest !== null && !isOld && sample.scrapedAtMs <= latest.scrapedAtMs) {',
    to: 'if (latest !== null && !isOld && sample.scrapedAtMs < latest.scrapedAtMs) {',
    ...unproven,
  },
  {
    name: 'own gates: scrapes with a silence in between are not in a row',
    file: `${OWN}/own-book.ts`,
    from: 'further(isOld ? null : state.beyond, sample)',
    to: 'further(state.beyond, sample)',
    ...unproven,
  },
  {
    name: 'own gates: a good scrape ends the row',
    file: `${OWN}/own-book.ts`,
    from: 'beyond: isBeyond(sample.value, limit) ? ',
    to: 'beyond: isBeyond(sample.value, limit) || state.beyond !== null ? ',
    ...unproven,
  },
  {
    name: 'own gates: fewer than three scrapes fail nothing',
    file: `${OWN}/judge-own.ts`,
    from: 'const SCRAPES_TO_FAIL = 3;',
    to: 'const SCRAPES_TO_FAIL = 2;',
    ...unproven,
  },
  {
    name: 'own gates: a blip of several scrapes fails nothing',
    file: `${OWN}/judge-own.ts`,
    from: 'scrapedAtMs - sinceMs >= SPAN_TO_FAIL_MS',
    to: 'scrapedAtMs - sinceMs >= SPAN_TO_FAIL_MS - 20_000',
    ...unproven,
  },
  {
    name: 'own gates: what was read too long ago is unmeasured',
    file: `${OWN}/judge-own.ts`,
    from: 'if (agoMs <= unmeasuredMs) return measured(latest);',
    to: 'if (unmeasuredMs > 0) return measured(latest);',
    ...unmeasured,
  },
  {
    name: 'own gates: a book from the future is unmeasured',
    file: `${OWN}/judge-own.ts`,
    from: "if (agoMs < -CLOCK_TOLERANCE_MS) return unmeasured('read in the future: compare the clocks');",
    to: '',
    ...unmeasured,
  },
  {
    name: 'own gates: a policy of them alone has the guard judge them',
    file: 'domain/gates/soft-codes.ts',
    from: ' || own.length > 0;',
    to: ' || own.length < 0;',
    tests: ['test/domain/gates/soft-codes.test'],
  },
  {
    name: 'own gates: a failed query is told, and the round goes on',
    file: 'activities/gates/own-readings.ts',
    from: "return { kind: 'unanswered', why: plainMessage(error) };",
    to: 'throw error;',
    ...story('a Prometheus that is killed holds under rollBack too'),
  },
  {
    name: 'own gates: without a Prometheus of the cluster they hold',
    file: 'activities/gates/own-readings.ts',
    from: 'if (metrics === undefined) return NO_SOURCE;',
    to: "if (metrics === undefined) return { kind: 'measured', value: { value: 0, scrapedAtMs: nowMs } };",
    ...story('a cluster without a Prometheus in the inventory of its worker holds'),
  },
  {
    name: 'own gates: clusters of one server share its limit of queries',
    file: 'activities/adapters/shared-transports.ts',
    from: 'const key = JSON.stringify([url, caFile, tokenFile]);',
    to: 'const key = JSON.stringify([url, caFile, tokenFile, Math.random()]);',
    tests: ['test/activities/adapters/metrics/shared-servers.test'],
    only: 'has one queue for all of them, so that its limit of queries holds',
  },
];
