import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { verifyExport } from '../../../cli/audit/verify-export.js';
import type { AccessPolicy } from '../../../domain/authority/access-policy.js';
import type { Envelope } from '../../../domain/authority/signed-envelope.js';
import type { Statement } from '../../../domain/authority/statement.js';
import {
  type TokenCase,
  tokenCases,
  trustedTokens,
  WRITTEN_ISSUERS,
} from '../../activities/authority/token-cases.contract.js';
import { HAS_SECOND_VERIFIER, secondVerdicts } from '../../support/second-verifier.js';
import { accessPolicyFile } from '../../support/signing.js';
import { closed, openExport } from './forged-exports.js';
import { OWN_CODE, signedExport, TRUST } from './signed-export.js';
import { payloads } from './written-run.js';

const TOKENS = trustedTokens();
const TRUSTED: AccessPolicy = {
  ...TRUST,
  principals: [...TRUST.principals.filter(({ name }) => name !== 'ci'), ...TOKENS.principals],
};
const BASE = signedExport({ isOfFleet: true, steps: 3 });

/** What asks for each step of an export. */
function startsOf(open: ReturnType<typeof openExport>): { start: Envelope }[] {
  return open.activities.flatMap(({ input }) => {
    const { authority } = input as { authority?: { start: Envelope } };
    return authority === undefined ? [] : [authority];
  });
}

const [{ start } = { start: null }] = startsOf(openExport(BASE));
const STATEMENT = JSON.parse(
  Buffer.from(start?.payload ?? '', 'base64').toString('utf8'),
) as Statement;
const CASES = tokenCases(STATEMENT);

/** What its workflow was started with. */
function startedWith({ started }: ReturnType<typeof openExport>): {
  authority?: { start: Envelope };
} {
  const { payloads: given } = started['input'] as { payloads: { data: string }[] };
  const text = Buffer.from(given[0]?.data ?? '', 'base64').toString('utf8');
  return JSON.parse(text) as ReturnType<typeof startedWith>;
}

/** The export as if its fleet had been asked for with this token. */
function askedForWith([, envelope]: TokenCase): string {
  const open = openExport(BASE);
  for (const authority of startsOf(open)) authority.start = envelope;
  const input = startedWith(open);
  if (input.authority !== undefined) input.authority.start = envelope;
  Object.assign(open.started, { input: payloads(input) });
  return closed(open, 'heads');
}

let folder: string;
const second = new Map<string, string | undefined>();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-tokens-'));
  const nameOf = (index: number): string => join(folder, `${String(index)}.json`);
  await Promise.all(CASES.map((one, index) => writeFile(nameOf(index), askedForWith(one))));
  const file = accessPolicyFile(TRUSTED, WRITTEN_ISSUERS);
  const verdicts = await secondVerdicts(
    file,
    CASES.map((_, index) => nameOf(index)),
  );
  for (const { file: path, checks } of verdicts) second.set(path, checks['signatures']?.result);
}, 120_000);
afterAll(() => rm(folder, { recursive: true }));

(HAS_SECOND_VERIFIER ? describe : describe.skip)('a fleet that was asked for with a token', () => {
  it.each(CASES.map((one, index) => [one[0], index] as const))(
    'is judged alike by both verifiers: %s',
    async (_title, index) => {
      const one = CASES[index] ?? (['', start, ''] as unknown as TokenCase);
      const { checks } = await verifyExport(askedForWith(one), OWN_CODE, { trust: TRUSTED });
      const expected = one[2] === 'ci' ? 'pass' : 'fail';
      expect(checks.find(({ check }) => check === 'signatures')?.result).toBe(expected);
      expect(second.get(join(folder, `${String(index)}.json`))).toBe(expected);
    },
  );
});
