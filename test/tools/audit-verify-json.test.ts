import { spawnSync } from 'node:child_process';
import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { exportText } from '../../cli/audit/export-run.js';
import { canonicalJson } from '../../domain/digest.js';
import { historyDigests } from '../../domain/transparency/history-digests.js';
import { RICH_HISTORY } from '../support/rich-history.js';
import { HAS_SECOND_VERIFIER } from '../support/second-verifier.js';

const PROGRAM = `
import sys
sys.path.insert(0, "tools/audit-verify")
sys.dont_write_bytecode = True
from export_json import canonical, parse, written
write = {"canonical": canonical, "written": written}[sys.argv[1]]
for line in sys.stdin.buffer:
    print(write(parse(line.decode("utf-8"))).encode("utf-8").hex())
`;

/** Where the two languages sort, escape and write numbers in different ways. */
const ODD: readonly unknown[] = [
  ...[0.25, 1e-5, 1.5e-7, 1e-6, 0.000123, -0.00001, -2.5e-9, 5e-324, Number.MAX_VALUE, -0, 3],
  ...[1e-7, 1e15, 1e16, 1.5e16, 123456789e10, 1e20, 1e21, 1.5e22, 2 ** 53, 123456789012345680000],
  ...['é\u2028😀', '\ud800', 'x\ud800\udc00\udc00', '\u007f\u0000"\\/', '1e-5'],
  ...[{ '😀': 1, '\uffff': 2, a: [] }, { '\ud800': { b: null, a: true } }, {}, []],
];

const alike = HAS_SECOND_VERIFIER ? it : it.skip;

/** Values as the verifier in Python writes them. */
function theirs(how: 'canonical' | 'written', values: readonly unknown[]): readonly string[] {
  const input = values.map((value) => `${JSON.stringify(value)}\n`).join('');
  const options = { input, maxBuffer: 2 ** 28 };
  const { stdout, stderr } = spawnSync('python3', ['-c', PROGRAM, how], options);
  expect(String(stderr)).toBe('');
  return String(stdout)
    .trimEnd()
    .split('\n')
    .map((hex) => Buffer.from(hex, 'hex').toString('utf8'));
}

const VALUES = [...ODD, ...fc.sample(fc.jsonValue(), { numRuns: 2000, seed: 1 })];

alike('the verifier in Python writes canonical JSON as this tool does', () => {
  expect(theirs('canonical', VALUES)).toEqual(VALUES.map((value) => canonicalJson(value)));
});

alike('the verifier in Python writes an export as this tool does', () => {
  const exports = VALUES.map((value) => ({ odd: value, deep: [{ value, text: '1e-7' }] }));
  expect(theirs('written', exports)).toEqual(exports.map((each) => exportText(each)));
});

const DIGESTS = `
import json, sys
sys.path.insert(0, "tools/audit-verify")
sys.dont_write_bytecode = True
from anchor_log import digests_of
from export_json import parse
print(json.dumps(digests_of(parse(sys.stdin.read()))))
`;

alike('the verifier in Python makes the digests of a history as this tool does', () => {
  const odd = { eventId: 7, xAttributes: { memo: 7, input: [7], result: { payloads: [7] } } };
  const events = [...RICH_HISTORY, odd];
  const input = JSON.stringify({ events });
  const { stdout, stderr } = spawnSync('python3', ['-c', DIGESTS], { input });
  expect(String(stderr)).toBe('');
  expect(JSON.parse(String(stdout))).toEqual(historyDigests(events));
});
