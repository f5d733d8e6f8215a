/** Guards of how an audit reads what activities returned: all who can complete a task must not make a result look like none. */
const carried = (only) => ({ tests: ['test/cli/audit/carried-results.test'], only });
const digests = (only) => ({ tests: ['test/domain/transparency/history-digests.test'], only });
const zipped = (only) => ({ tests: ['test/config/compressed-payloads.test'], only });
const expanded = (only) => ({ tests: ['test/cli/audit/expanded-size.test'], only });
const both = (only) => ({ tests: ['test/cli/audit/second-verifier.test'], only });
const words = (only) => ({ tests: ['test/cli/audit/signed-words.test'], only });
const recorded = (only) => ({ tests: ['test/cli/audit/recorded-checks.test'], only });
const FORMS = 'cli/audit/unsigned-results.ts';
const RESULTS = 'cli/audit/check-results.ts';
const ENDS = 'cli/audit/completed-activities.ts';
const SECOND = 'tools/audit-verify/signatures.py';
const SECOND_READER = 'tools/audit-verify/recorded_history.py';

export const CARRIED_GUARDS = [
  {
    name: 'results: only what begins as an object can be signed',
    file: FORMS,
    from: "return carried.startsWith('{') ? { kind: 'object' } : wrong(`${activity} returned no object`);",
    to: "return carried.startsWith('{') ? { kind: 'object' } : { kind: 'silent' };",
    ...carried('is not believed, '),
  },
  {
    name: 'results: an activity that returns a list returns one',
    file: FORMS,
    from: "return carried.startsWith('[') && Array.isArray(parseJson(carried));",
    to: "return carried !== 'x';",
    ...carried('is no list, of '),
  },
  {
    name: 'results: one result is one payload',
    file: RESULTS,
    from: 'if (others.length > 0) return wrong(',
    to: 'if (others.length > 9) return wrong(',
    ...carried('is not believed, '),
  },
  {
    name: 'results: an activity ends once',
    file: ENDS,
    from: 'if (this.#ended.has(scheduledId))',
    to: "if (scheduledId === '')",
    ...carried('is not believed where it '),
  },
  {
    name: 'results: ids are whole numbers',
    file: ENDS,
    from: 'const isNext = ACTIVITY_ID.test(id) && Number(id) > this.#last;',
    to: 'const isNext = Number(id) > this.#last;',
    ...carried('is not believed where its id'),
  },
  {
    name: 'second verifier: only what begins as an object can be signed',
    file: SECOND,
    from: '        want(carried.startswith("{"), f"{activity.name} returned no object")\n',
    to: '        if not carried.startswith("{"):\n            continue\n',
    ...carried('is not believed, '),
  },
  {
    name: 'second verifier: one result is one payload',
    file: SECOND,
    from: 'want(len(returned) < 2, f"{activity.name} returned more than one thing")',
    to: 'returned = returned[:1]',
    ...carried('is not believed, '),
  },
  {
    name: 'second verifier: an activity ends once',
    file: SECOND_READER,
    from: 'want(activity.ended == "open", f"activity {activity.id} ends twice")',
    to: 'want(activity.ended != "well" or ending != "Completed", "")',
    ...carried('is not believed where it '),
  },
  {
    name: 'second verifier: ids are whole numbers in ASCII',
    file: SECOND_READER,
    from: 'ACTIVITY_ID = re.compile("[1-9][0-9]{0,14}")',
    to: 'ACTIVITY_ID = re.compile("\\\\d{1,14}")',
    ...carried('is not believed where its id'),
  },
  {
    name: 'second verifier: nothing follows what was compressed',
    file: SECOND_READER,
    from: ' and expander.unused_data == b""',
    to: '',
    ...carried('is not believed, '),
  },
  {
    name: 'second verifier: what payloads hold together has a bound',
    file: SECOND_READER,
    from: 'want(total <= most, ',
    to: 'want(total >= 0, ',
    ...expanded('is refused as a whole by both'),
  },
  {
    name: 'audit: what payloads hold together has a bound',
    file: 'cli/audit/written-export.ts',
    from: 'if (parsed.success && expandsTooFar(raw)) {',
    to: "if (parsed.success && text === '') {",
    ...expanded('is refused as a whole by both'),
  },
  {
    name: 'second verifier: only what looks like a secret is redacted',
    file: 'tools/audit-verify/checks.py',
    from: 'key = (intent["step"], intent["runId"], intent["planDigest"], units(intent["actor"]), units(intent["reason"]))',
    to: 'key = next((each for each in asked if "[redacted]" in intent["actor"] + intent["reason"]), (intent["step"], intent["runId"], intent["planDigest"], units(intent["actor"]), units(intent["reason"])))',
    tests: ['test/tools/audit-verify-redaction.test'],
    ...{ only: 'both say fail where the history holds no secret', composed: true },
  },
  {
    name: 'decisions: one that was replaced before it arrived replaces none',
    file: 'cli/audit/overtaken-decisions.ts',
    from: 'if (revision < highest) overtaken.add(event);',
    to: 'if (revision < 0) overtaken.add(event);',
    ...recorded('passes a run that a command turned during a soak'),
  },
  {
    name: 'outcome: a decision that was replaced before it arrived is not the last',
    file: 'cli/audit/check-outcome.ts',
    from: "event.kind === 'observed' && !overtaken.has(event)",
    to: "event.kind === 'observed' && overtaken.size >= 0",
    ...recorded('ends as the newest decision says'),
  },
  {
    name: 'second verifier: a decision that was replaced before it arrived replaces none',
    file: 'tools/audit-verify/checks.py',
    from: 'newest = newest if is_overtaken else decision',
    to: 'newest = decision',
    ...both('accept a run that a command turned during its soaks'),
  },
  {
    name: 'words: a run is started with what was signed',
    file: 'cli/audit/signed-words.ts',
    from: '.filter((name) => textIn(input, name) !== signed[name])',
    to: ".filter((name) => textIn(input, name) === '')",
    ...words('are those that were signed: '),
  },
  {
    name: 'words: the memo is what the run was started with',
    file: 'cli/audit/signed-words.ts',
    from: '.filter(([name, value]) => value !== textIn(input, name))',
    to: ".filter(([, value]) => typeof value !== 'string')",
    ...words('are those that were signed: '),
  },
  {
    name: 'words: a step is asked for by who turned the run last',
    file: 'cli/audit/signed-words.ts',
    from: 'commands.findLast(({ verb }) => TURNS.includes(verb)) ?? start;',
    to: 'commands.at(-1) ?? start;',
    ...words('of one who turned nothing'),
  },
  {
    name: 'words: a fleet is started with what was signed',
    file: 'cli/audit/fleet/signed-fleet-run.ts',
    from: '...(carried === null ? this.#saidAs(begin, statement) : {}),',
    to: '',
    ...words('of a fleet are those that were signed: '),
  },
  {
    name: 'second verifier: a run is started with what was signed',
    file: 'tools/audit-verify/signed_words.py',
    from: ' or text_at(given, name) == signed[name]',
    to: ' or signed',
    ...words('are those that were signed: '),
  },
  {
    name: 'second verifier: a fleet is started with what was signed',
    file: 'tools/audit-verify/fleet_checks.py',
    from: 'signed.update(value.words if value.carried is None else {})',
    to: 'signed.update({})',
    ...words('of a fleet are those that were signed: '),
  },
  {
    name: 'account: another ticket than was signed is said',
    file: 'cli/audit/account/known-sender.ts',
    from: "return statement.fleet !== '' && sent.ticket === '';",
    to: 'return sent.ticket !== statement.nonce;',
    tests: ['test/cli/audit/account/account-requests.test'],
    only: 'a ticket that was not signed',
  },
  {
    name: 'evidence: members are compared one by one',
    file: 'domain/evidence/lines.ts',
    from: 'return names.length === wanted.length && wanted.every((name, at) => name === names[at]);',
    to: 'return names.join() === wanted.join();',
    tests: ['test/domain/evidence/lines.test'],
    only: 'is one by the names of its members',
  },
  {
    name: 'evidence: an epoch is a count',
    file: 'domain/evidence/lines.ts',
    from: 'Number.isSafeInteger(value) && Number(value) >= 0',
    to: "typeof value === 'number'",
    tests: ['test/domain/evidence/lines.test'],
    only: 'has an epoch that every program can count',
  },
  {
    name: 'codec server: one answer has a bound',
    file: 'cli/server/codec-server.ts',
    from: 'bytes > MOST_EXPANDED_BYTES ? TOO_MUCH',
    to: 'bytes < 0 ? TOO_MUCH',
    tests: ['test/cli/server/codec-server.test'],
    only: 'expands no more than one answer holds',
  },
  {
    name: 'json: what is too deep is not read',
    file: 'cli/read-json.ts',
    from: 'if (depth > DEEPEST || level.some(isInfinite)) return false;',
    to: 'if (level.some(isInfinite)) return false;',
    tests: ['test/tools/audit-verify-hostile.test'],
    only: 'is read as deep as anything is written here',
  },
  {
    name: 'payloads: nothing follows what was compressed',
    file: 'config/compressed-payloads.ts',
    from: 'HEADER_BYTES + taken === end &&',
    to: 'HEADER_BYTES + taken <= end &&',
    ...zipped('is refused'),
  },
  {
    name: 'payloads: what was compressed has its checksum',
    file: 'config/compressed-payloads.ts',
    from: 'crc32(data) === zipped.readUInt32LE(end) &&',
    to: '',
    ...zipped('is refused'),
  },
  {
    name: 'anchor: how a payload is read counts',
    file: 'domain/transparency/history-digests.ts',
    from: 'canonicalJson({ data, metadata: texts })',
    to: 'canonicalJson({ data, metadata: Object.keys(texts).map(String) })',
    ...digests('change with the'),
  },
];
