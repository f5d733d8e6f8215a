import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { verifyExport } from '../../cli/audit/verify-export.js';
import { redact } from '../../domain/redaction.js';
import { OWN_CODE, sealed, signedExport, TRUST, TRUST_FILE } from '../cli/audit/signed-export.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../support/second-verifier.js';

const together = HAS_SECOND_VERIFIER ? describe : describe.skip;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-redaction-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** What evidence keeps of texts, as the verifier in Python computes it. */
function theirs(texts: readonly string[]): readonly string[] {
  const program = `
import json, sys
sys.path.insert(0, "tools/audit-verify")
sys.dont_write_bytecode = True
from redaction import redacted
print(json.dumps([redacted(each) for each in json.load(sys.stdin)]))
`;
  const input = JSON.stringify(texts);
  const { stdout } = spawnSync('python3', ['-c', program], { input, maxBuffer: 2 ** 28 });
  return JSON.parse(String(stdout)) as readonly string[];
}

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln';
const PARTS = [
  ...[
    'Authorization',
    'bearer',
    'BEARER',
    'Basic',
    'basic',
    'token',
    'Password',
    'api-key',
    'apikey',
  ],
  ...[
    ':',
    '=',
    ' ',
    '\t',
    '\n',
    '"',
    "'",
    ',',
    ';',
    '&',
    '}',
    '-',
    '.',
    '/',
    '@',
    '://',
    '[redacted]',
  ],
  ...['abc', 'dXNlcjpwYXNz', 'A1', 'eyJ', 'eyJabcd', JWT, 'LS0tLS1CRUdJTi', '=='],
  ...['-----BEGIN KEY-----', '-----END KEY-----', 'ä', '\u{1f511}', '\ud83d'],
  // White space of one language alone, and letters that fold to ASCII in one alone.
  ...['\u00a0', '\ufeff', '\u0085', '\u001c', '\u2028', 'to\u212aen', 'pa\u017fswd', '٣'],
];

together('what evidence keeps of a text', () => {
  it('is the same for both verifiers', () => {
    const text = fc.array(fc.constantFrom(...PARTS), { maxLength: 12 }).map((all) => all.join(''));
    const texts = [
      ...fc.sample(text, { numRuns: 5_000, seed: 7 }),
      ...[`-----BEGIN ${'\u{1f511}'.repeat(40)}-----x`, `-----BEGIN ${'k'.repeat(65)}-----x`],
      ...['eyJ-'.repeat(20_000), 'token='.repeat(20_000), '://'.repeat(20_000)],
    ];
    expect(theirs(texts)).toEqual(texts.map((each) => redact(each)));
    expect(texts.filter((each) => redact(each) !== each).length).toBeGreaterThan(1_000);
  });

  it('is written down', async () => {
    const [contract, source] = await Promise.all(
      ['docs/contracts/audit-export.md', 'domain/redaction.ts'].map((path) =>
        readFile(path, 'utf8'),
      ),
    );
    const patterns = [...(source ?? '').matchAll(/^ {2,4}\[?(\/.+\/)gi?,\s/gm)].map(
      ([, found]) => found,
    );
    expect(patterns).toHaveLength(8);
    expect(patterns.filter((each) => contract?.includes(each ?? '') !== true)).toEqual([]);
  });
});

together('an intent whose actor or reason is redacted', () => {
  const intents = async (actor: string, reason: string) => {
    const { digest: _, ...content } = JSON.parse(signedExport({ steps: 1 }));
    const found = content.records.find(({ entry }: { entry: object }) => 'intent' in entry);
    Object.assign(found.entry.intent, { actor, reason });
    const text = sealed(content);
    const { checks } = await verifyExport(text, OWN_CODE, { trust: TRUST });
    await writeFile(join(folder, 'one.json'), text);
    const [verdict] = await secondVerdicts(TRUST_FILE, [join(folder, 'one.json')]);
    const ours = checks.find(({ check }) => check === 'intents')?.result;
    return [ours, verdict?.checks['intents']?.result];
  };

  it.each([
    ['ana', 'CHG-1', 'pass'],
    ['[redacted]', 'CHG-1', 'fail'],
    ['ana', '[redacted]', 'fail'],
    ['a[redacted]', 'CHG-1', 'fail'],
    ['ana', 'CHG-1[redacted]', 'fail'],
  ])('%s, %s: both say %s where the history holds no secret', async (actor, reason, result) => {
    expect(await intents(actor, reason)).toEqual([result, result]);
  });
});
