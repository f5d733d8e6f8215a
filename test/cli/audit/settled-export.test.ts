import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { exportEnded } from '../../../cli/audit/export-ended.js';
import { EMPTY_CHAIN, nextRecord } from '../../../domain/evidence/chain.js';
import type { EvidenceIntent, EvidenceRecord } from '../../../domain/evidence/record.js';
import { APPLIED, evidenceIntent } from '../../support/evidence-given.js';
import { listingServer } from './listing-server.js';
import { CONTEXT, historyOf } from './written-run.js';

/** Of the activity that the run asked for, unless another actor is given. */
function intent(id: string, actor = CONTEXT.actor): EvidenceIntent {
  const { workflowId, runId, reason, planDigest, cluster } = CONTEXT;
  const asked = { workflowId, runId, reason, planDigest, cluster: cluster.name, actor };
  return { ...evidenceIntent(id), ...asked, step: 'takeFence' };
}

const INTENT = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('a') });
const ONE = { records: 1, hash: INTENT.hash };
const OUTCOME = nextRecord(ONE, { kind: 'outcome', intentId: 'a', outcome: APPLIED });
const OTHER = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('b') });
const OTHER_OUTCOME = nextRecord(
  { records: 1, hash: OTHER.hash },
  { kind: 'outcome', intentId: 'b', outcome: APPLIED },
);
const OF_RESET = nextRecord(ONE, { kind: 'intent', intent: intent('c', 'ben') });

const MINUTE_MS = 60_000;

let folder: string;
let records: readonly EvidenceRecord[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-settled-'));
  records = [INTENT];
});
afterEach(() => rm(folder, { recursive: true }));

const file = (): string => join(folder, 'run-1.json');
const exportedHashes = async (): Promise<readonly string[]> =>
  (
    JSON.parse(await readFile(file(), 'utf8')) as { readonly records: readonly EvidenceRecord[] }
  ).records.map(({ hash }) => hash);

/** Exports a run that the server ended so long ago; what was exported before was written so long after its end. */
async function pass(
  endedAgoMs: number,
  writtenAfterMs: number | null,
  status = 'TERMINATED',
): Promise<readonly string[]> {
  const closedAt = Date.now() - endedAgoMs;
  const { workflowId } = CONTEXT;
  const history = historyOf([{ name: 'takeFence', input: CONTEXT, result: { epoch: 1 } }]);
  const server = listingServer([{ workflowId, runId: 'run-1', history, status, closedAt }]);
  const at = new Date(closedAt + (writtenAfterMs ?? 0));
  if (writtenAfterMs !== null) await utimes(file(), at, at);
  const lines: string[] = [];
  const evidence = { read: () => Promise.resolve(records), keptText: () => Promise.resolve(null) };
  const report = (line: string): void => void lines.push(line);
  await exportEnded(server, { folder, evidence, report });
  return lines.filter((line) => line.startsWith('exported'));
}

describe('the export of a run that was ended from outside', () => {
  it('is written again when its workers have ended, with what they recorded since', async () => {
    expect(await pass(MINUTE_MS, null)).toHaveLength(1);
    records = [INTENT, OUTCOME];
    expect(await pass(59 * MINUTE_MS, MINUTE_MS)).toEqual([]);
    expect(await exportedHashes()).toEqual([INTENT.hash]);
    expect(await pass(61 * MINUTE_MS, MINUTE_MS)).toEqual([
      expect.stringContaining('again, with what was recorded after its end'),
    ]);
    expect(await exportedHashes()).toEqual([INTENT.hash, OUTCOME.hash]);
  });

  it.each([
    ['is as it was', () => [INTENT]],
    ['has lost what was exported', () => [OTHER, OTHER_OUTCOME]],
    ['goes on with what the run did not ask for', () => [INTENT, OF_RESET]],
  ])('stays where the evidence %s, and is not asked again', async (_case, now) => {
    await pass(MINUTE_MS, null);
    records = now();
    expect(await pass(61 * MINUTE_MS, MINUTE_MS)).toEqual([]);
    expect(await exportedHashes()).toEqual([INTENT.hash]);
    const [{ mtimeMs }, hourAgo] = [await stat(file()), Date.now() - 30 * MINUTE_MS];
    expect(mtimeMs).toBeGreaterThan(hourAgo);
  });

  it('is final where it was written later, as is that of a run that ended by itself', async () => {
    await pass(MINUTE_MS, null);
    records = [INTENT, OUTCOME];
    expect(await pass(90 * MINUTE_MS, 61 * MINUTE_MS)).toEqual([]);
    expect(await pass(90 * MINUTE_MS, MINUTE_MS, 'COMPLETED')).toEqual([]);
    expect(await exportedHashes()).toEqual([INTENT.hash]);
  });
});
