/** Guards of the gates that a run's guard samples: what holds a change, and what is never taken for health. */
const NOTES = 'activities/fence/gate-notes.ts';
const FENCE = 'activities/fence/read-fence.ts';
const RECORD = 'activities/fence/fence-record.ts';
const ROUND = 'activities/guard/guard-memory.ts';
const OBJECTS = 'domain/gates/objects';
const metrics = { tests: ['test/activities/stories/metric-gates.test'] };
const objects = { tests: ['test/domain/gates/objects/object-watch.test'] };
const failing = { tests: ['test/domain/gates/objects/failing-objects.test'] };
const gauges = { tests: ['test/domain/gates/watch/gauges-and-books.test'] };
const unseen = { tests: ['test/domain/gates/watch/unseen-places.test'] };
const places = { tests: ['test/activities/gates/gate-places.test'] };
const notes = { tests: ['test/activities/fence/gate-notes.test'] };
const breaches = { tests: ['test/activities/fence/soft-breaches.test'] };

export const WATCHED_GATE_GUARDS = [
  {
    name: 'watched gates: a sum of work alone is no failure',
    file: 'domain/gates/watch/judge-gauge.ts',
    from: "decidedBy === null ? 'fail' : 'suspect'",
    to: "decidedBy === '' ? 'suspect' : 'fail'",
    ...gauges,
  },
  {
    name: 'watched gates: the longest piece decides on a sum of work',
    file: 'domain/gates/watch/judge-book.ts',
    from: 'sumWithLongest(verdict, verdicts.get(measure.decidedBy))',
    to: 'verdict',
    ...gauges,
  },
  {
    name: 'watched gates: a guard that reports none leaves them unmeasured',
    file: NOTES,
    from: 'fence?.runId !== runId || fence.metrics === undefined',
    to: 'fence?.metrics === undefined && runId === null',
    ...notes,
  },
  {
    name: 'watched gates: what was reported too long ago is unmeasured',
    file: NOTES,
    from: "if (!(Math.abs(ageMs) <= renewalLimitMs({ timings }, 'idle'))) {",
    to: 'if (ageMs < 0) {',
    ...notes,
  },
  {
    name: 'watched gates: a note that cannot be read is unmeasured',
    file: NOTES,
    from: "readNote(fence.metrics.note) ?? [unmeasured('what the guard reported cannot be read')]",
    to: 'readNote(fence.metrics.note) ?? []',
    ...notes,
  },
  {
    name: 'watched gates: a book does not begin while no manager runs',
    file: 'domain/gates/watch/add-round.ts',
    from: 'if (book.lastAtMs === null && round.places.length === 0) return book;',
    to: '',
    tests: ['test/domain/gates/watch/gate-watch.test'],
  },
  {
    name: 'watched gates: what ran on a node that cannot be reached is unread',
    file: 'domain/gates/watch/add-round.ts',
    from: '[...round.places, ...unseenPlaces(book.places ?? [], round.unseen)]',
    to: 'book.places === undefined ? [...round.places, ...unseenPlaces([], [])] : round.places',
    ...unseen,
  },
  {
    name: 'watched gates: a book keeps what runs on a node through a long absence',
    file: 'domain/gates/watch/add-round.ts',
    from: '{ ...next, places: knownPlaces(places) }',
    to: '{ ...next, places: knownPlaces(round.places) }',
    ...unseen,
  },
  {
    name: 'watched gates: no window begins while a node hides what it runs',
    file: 'domain/gates/watch/add-round.ts',
    from: 'seen ?? book.setup;',
    to: "seen ?? '';",
    ...unseen,
  },
  {
    name: 'watched gates: a node that was never seen may run anything',
    file: 'domain/gates/watch/unseen-places.ts',
    from: 'return isNew ? [] :',
    to: 'return isNew || ran.length === 0 ? [] :',
    ...unseen,
  },
  {
    name: 'watched gates: what was seen to run on a machine counts, whatever its provider calls it',
    file: 'domain/gates/watch/unseen-places.ts',
    from: 'if (ran.length > 0) return',
    to: 'if (ran.length > 0 && !isNew) return',
    ...unseen,
  },
  {
    name: 'watched gates: between two owners means that every node was seen',
    file: 'domain/gates/watch/read-places.ts',
    from: 'if (known && exposed.length === 0 && unseen !== undefined) {',
    to: 'if (known && exposed.length > 99 && unseen !== undefined) {',
    ...unseen,
  },
  {
    name: 'watched gates: a node that cannot be reached is unseen',
    file: 'activities/gates/gate-places.ts',
    from: "if (reachable || state === 'deleting') return [];",
    to: 'if (reachable || state !== undefined) return [];',
    ...places,
  },
  {
    name: 'watched gates: what runs is unknown while a node is unseen',
    file: 'activities/gates/gate-places.ts',
    from: 'if (unseenNodes(observation).length > 0) return null;',
    to: '',
    ...places,
  },
  {
    name: 'watched gates: a late soft breach does not hold a rollback',
    file: 'domain/run/guard-events.ts',
    from: "if (verdict.hardness === 'soft' && passesSoftGates(target)) return false;",
    to: '',
    tests: ['test/domain/run/guard.test'],
  },
  {
    name: 'watched gates: a soak counts no gate that was skipped',
    file: 'activities/soak.ts',
    from: ': countingVerdicts(metricVerdicts(snapshot, input), waivedGates);',
    to: ': metricVerdicts(snapshot, input).slice(0, waivedGates.length + 99);',
    tests: ['test/activities/stories/object-gates.test'],
  },
  {
    name: 'watched gates: a soak begins beside a gate that was skipped',
    file: 'activities/soak.ts',
    from: 'cures: [], passesSoft, waivedGates };',
    to: 'cures: [], passesSoft };',
    tests: ['test/activities/stories/object-gates.test'],
  },
  {
    name: 'watched gates: a migration does not pass soft gates',
    file: 'domain/gates/waived-gates.ts',
    from: "return target === 'kcm';",
    to: "return target !== 'kcm';",
    tests: ['test/domain/gates/waived-gates.test'],
  },
  {
    name: 'gates on objects: a proof in the second of the handover is seen',
    file: 'activities/observe/object-facts.ts',
    from: 'return toldAtMs >= madeAtMs && toldAtMs < madeAtMs + SECOND_MS ? toldAtMs : madeAtMs;',
    to: 'return madeAtMs;',
    tests: ['test/activities/observe/object-facts.test'],
  },
  {
    name: 'watched gates: a soft gate that holds closes the fence',
    file: ROUND,
    from: "each.hardness === 'hard' ? each.verdict === 'fail' : holdsRun(each)",
    to: "each.verdict === 'fail'",
    ...metrics,
  },
  {
    name: 'watched gates: gates that share a code are accepted one by one',
    file: RECORD,
    from: 'return isSoftCode(code) ? `${code}:${gateOf(detail)}` : code;',
    to: 'return detail === code ? gateOf(detail) : code;',
    ...breaches,
  },
  {
    name: 'watched gates: a retry accepts counted events alone, and nothing that is unmeasured',
    file: RECORD,
    from: '(acknowledge && code === COUNTED)',
    to: '(acknowledge && isSoftCode(code))',
    ...breaches,
  },
  {
    name: 'watched gates: each acceptance is the word of a person, now',
    file: RECORD,
    from: '(acknowledge && code === COUNTED)',
    to: 'code === COUNTED',
    ...breaches,
  },
  {
    name: 'watched gates: what was accepted and holds all the same stops the next change',
    file: FENCE,
    from: '        : acknowledged.includes(breachKey(line))),',
    to: '          || acknowledged.includes(breachKey(line)) : acknowledged.includes(breachKey(line))),',
    ...breaches,
  },
  {
    name: 'gates on objects: a later reading does not begin the book again',
    file: `${OBJECTS}/object-watch.ts`,
    from: 'const book = watch.book ?? beginObjects(reading.value);',
    to: "const book = watch.why === '' && watch.book !== null ? watch.book : beginObjects(reading.value);",
    ...objects,
  },
  {
    name: 'watched gates: a change does not pass a soft breach',
    file: FENCE,
    from: 'passesSoft || skipped.includes(breachKey(line))',
    to: 'true',
    ...breaches,
  },
  {
    name: 'watched gates: what no page served is unmeasured when a page stays unread',
    file: 'domain/gates/watch/read-places.ts',
    from: 'absentAtMs !== undefined && atMs - absentAtMs <= unmeasuredMs',
    to: 'absentAtMs !== undefined && atMs > unmeasuredMs',
    tests: ['test/domain/gates/watch/gauges-and-books.test'],
  },
  {
    name: 'gates on objects: what could not be read is no failure that turns a run',
    file: 'domain/gates/soft-codes.ts',
    from: 'return METRIC_CODES.unmeasured;',
    to: 'return failCode;',
    tests: ['test/domain/gates/soft-codes.test'],
  },
  {
    name: 'gates on objects: unmeasured until the first reading',
    file: `${OBJECTS}/object-watch.ts`,
    from: 'readAtMs === null ? Infinity : nowMs - readAtMs;',
    to: 'readAtMs === null ? 0 : nowMs - readAtMs;',
    ...objects,
  },
  {
    name: 'gates on objects: a reading does not count for ever',
    file: `${OBJECTS}/object-watch.ts`,
    from: 'agoMs <= unmeasuredMs && !isAhead',
    to: 'agoMs < Infinity && !isAhead',
    ...objects,
  },
  {
    name: 'gates on objects: the time of a Lease is not believed blindly',
    file: `${OBJECTS}/object-watch.ts`,
    from: 'acquiredAtMs !== null && acquiredAtMs >= before.seenAtMs && acquiredAtMs <= serverTimeMs',
    to: 'acquiredAtMs !== null',
    ...objects,
  },
  {
    name: 'gates on objects: another owner proves its sight itself',
    file: `${OBJECTS}/object-watch.ts`,
    from: 'return { ...watch, owner, handoverAtMs, sight: null };',
    to: 'return { ...watch, owner, handoverAtMs };',
    ...objects,
  },
  {
    name: 'gates on objects: a success from the future proves nothing',
    file: `${OBJECTS}/failing-objects.ts`,
    from: 'lastAtMs <= latestMs || !SUCCESSES.includes(reason)',
    to: 'lastAtMs <= latestMs || latestMs > 0 || !SUCCESSES.includes(reason)',
    ...failing,
  },
  {
    name: 'gates on objects: given Nodes cure no failed load balancer',
    file: `${OBJECTS}/failing-objects.ts`,
    from: 'if (sync !== undefined && sync.lastAtMs >= ensuredAtMs) return sync;',
    to: "if (sync !== undefined && sync.lastAtMs >= Math.max(ensuredAtMs, told.lastAtMs(uid, 'UpdatedLoadBalancer'))) return sync;",
    ...failing,
  },
];
