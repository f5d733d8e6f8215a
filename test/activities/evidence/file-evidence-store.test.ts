import { appendFile, mkdtemp, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { runFile } from '../../../activities/evidence/run-file.js';
import { EMPTY_CHAIN, nextRecord, verifyChain } from '../../../domain/evidence/chain.js';
import { evidenceLine } from '../../../domain/evidence/lines.js';
import type { EvidenceIntent } from '../../../domain/evidence/record.js';
import {
  EVIDENCE_RUN as RUN,
  evidenceIntent as intent,
  ODD_IDS,
} from '../../support/evidence-given.js';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-evidence-'));
  file = runFile(folder, RUN);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

const idsOf = (intents: readonly EvidenceIntent[]): string[] => intents.map(({ id }) => id);

/** What is true of files alone; the rest is in test/contract/evidence-store.contract.ts. */
describe('createFileEvidenceStore', () => {
  it('what it writes is readable by its owner only', async () => {
    await createFileEvidenceStore(folder).begin(intent('a'));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'evidence'))).mode & 0o777).toBe(0o700);
  });

  it.each([
    [
      'half a record',
      evidenceLine(nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('z') })).slice(0, 40),
    ],
    [
      'a record without its newline',
      evidenceLine(nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('z') })).slice(0, -1),
    ],
    ['zeros', '\0'.repeat(64)],
    ['half a character', Buffer.from('{"é').subarray(0, 3).toString('latin1')],
  ])('cuts off %s that a crash left behind, and does not return it', async (_name, torn) => {
    await createFileEvidenceStore(folder).begin(intent('a'));
    await appendFile(file, torn, 'latin1');
    const store = createFileEvidenceStore(folder);
    expect((await store.read(RUN)).length).toBe(1);
    expect(idsOf(await store.openIntents(RUN))).toEqual(['a']);
    await store.begin(intent('b'));
    expect(verifyChain(await store.read(RUN))).toMatchObject({ kind: 'intact', records: 2 });
    const left = await readFile(file, 'utf8');
    expect(left.match(/"id":"\w"/g)).toEqual(['"id":"a"', '"id":"b"']);
    expect(left.endsWith('\n')).toBe(true);
  });

  it('keeps each run in a file of its own, and all files in one folder, whatever their ids', async () => {
    const store = createFileEvidenceStore(folder);
    for (const workflowId of ODD_IDS) await store.begin(intent('a', { workflowId }));
    expect(await readdir(join(folder, 'evidence'))).toHaveLength(ODD_IDS.length);
    expect(await readdir(folder)).toEqual(['evidence']);
  });

  it('fails Unavailable where nothing can be written, so that no mutation follows', async () => {
    await writeFile(join(folder, 'evidence'), 'a file where a folder should be');
    const begin = createFileEvidenceStore(folder).begin(intent('a'));
    await expect(begin).rejects.toMatchObject({ type: 'Unavailable' });
  });
});
