import {
  appendFile,
  mkdtemp,
  readFile,
  readdir,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createFileEvidenceStore } from '../../../activities/evidence/file-evidence-store.js';
import { runFile } from '../../../activities/evidence/run-file.js';
import { EMPTY_CHAIN, nextRecord, verifyChain } from '../../../domain/evidence/chain.js';
import { evidenceLine } from '../../../domain/evidence/lines.js';
import type { EvidenceIntent, EvidenceOutcome } from '../../../domain/evidence/record.js';

const RUN = { workflowId: 'cluster-migration/1234', runId: 'run-1' };
const APPLIED: EvidenceOutcome = { kind: 'applied', at: '2026-11-21T10:00:01.000Z', detail: '' };

function intent(id: string, over: Partial<EvidenceIntent> = {}): EvidenceIntent {
  return {
    ...RUN,
    id,
    cluster: 'alpha',
    epoch: 3,
    step: 'grantLeaseAccess',
    actor: 'ana',
    reason: 'CHG-1 naïve',
    planDigest: 'sha256:00',
    at: '2026-11-21T10:00:00.000Z',
    verb: 'create',
    object: 'Role kube-system/ccm-migrate-leader-migration',
    before: '',
    after: 'sha256:11',
    proof: '',
    ...over,
  };
}

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-evidence-'));
  file = runFile(folder, RUN);
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Until a change has a later time than the last one of the run's file: the kernel's clock ticks every few milliseconds. */
async function untilTheClockTicks(): Promise<void> {
  const changed = async (path: string): Promise<bigint> =>
    (await stat(path, { bigint: true })).ctimeNs;
  const last = await changed(file);
  const probe = join(folder, 'probe');
  do await writeFile(probe, 'x');
  while ((await changed(probe)) === last);
}

const idsOf = (intents: readonly EvidenceIntent[]): string[] => intents.map(({ id }) => id);

describe('createFileEvidenceStore', () => {
  it('keeps intents and outcomes as one verified chain, and lists open intents', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    await store.begin(intent('b'));
    await store.finish(RUN, 'a', APPLIED);
    const records = await store.read(RUN);
    const head = await store.head(RUN);
    expect(head.records).toBe(3);
    expect(verifyChain(records, head).kind).toBe('intact');
    expect(idsOf(await store.openIntents(RUN))).toEqual(['b']);
  });

  it('has written to disk when begin returns, readable by its owner only', async () => {
    await createFileEvidenceStore(folder).begin(intent('a'));
    expect(await readFile(file, 'utf8')).toContain('"id":"a"');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'evidence'))).mode & 0o777).toBe(0o700);
  });

  it('has no records of an unknown run', async () => {
    const store = createFileEvidenceStore(folder);
    expect(await store.read(RUN)).toEqual([]);
    expect(await store.head(RUN)).toEqual(EMPTY_CHAIN);
    expect(await store.openIntents(RUN)).toEqual([]);
  });

  it('records the same intent and its outcome once, however often they are sent', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    await store.begin(intent('a'));
    await createFileEvidenceStore(folder).begin(intent('a'));
    await store.finish(RUN, 'a', APPLIED);
    await store.finish(RUN, 'a', { ...APPLIED, kind: 'foundNotApplied' });
    expect((await store.head(RUN)).records).toBe(2);
  });

  it.each<[string, (store: ReturnType<typeof createFileEvidenceStore>) => Promise<void>]>([
    ['another intent under the same id', (store) => store.begin(intent('a', { after: 'x' }))],
    ['an outcome without its intent', (store) => store.finish(RUN, 'z', APPLIED)],
  ])('refuses %s', async (_name, act) => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    await expect(act(store)).rejects.toMatchObject({ type: 'Bug' });
    expect((await store.head(RUN)).records).toBe(1);
  });

  it('continues after a crash: a new store finds the open intents and continues the chain', async () => {
    await createFileEvidenceStore(folder).begin(intent('a'));
    const next = createFileEvidenceStore(folder);
    expect(idsOf(await next.openIntents(RUN))).toEqual(['a']);
    await next.finish(RUN, 'a', { ...APPLIED, kind: 'foundApplied' });
    expect(verifyChain(await next.read(RUN))).toMatchObject({ kind: 'intact', records: 2 });
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

  it('never appends to a chain that was tampered with', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    await writeFile(file, (await readFile(file, 'utf8')).replace('ana', 'eve'));
    const other = createFileEvidenceStore(folder);
    const broken = { type: 'PreconditionFailed', message: expect.stringContaining('record 0') };
    await expect(other.begin(intent('b'))).rejects.toMatchObject(broken);
    await expect(other.read(RUN)).rejects.toMatchObject(broken);
  });

  it('never trusts its memory of a chain that was tampered with since', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    expect(idsOf(await store.openIntents(RUN))).toEqual(['a']);
    const text = await readFile(file, 'utf8');
    // As long as before, and with the old modification time.
    const { atime, mtime } = await stat(file);
    await untilTheClockTicks();
    await writeFile(file, text.replace('ana', 'eve'));
    await utimes(file, atime, mtime);
    const broken = { type: 'PreconditionFailed', message: expect.stringContaining('record 0') };
    await expect(store.openIntents(RUN)).rejects.toMatchObject(broken);
    await expect(store.begin(intent('b'))).rejects.toMatchObject(broken);
  });

  it('notices a chain that was deleted, cut or replaced while it wrote it, and adds nothing to it', async () => {
    const replaced = evidenceLine(nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('z') }));
    for (const loss of ['deleted', 'cut', 'replaced'] as const) {
      const store = createFileEvidenceStore(folder);
      await store.begin(intent('a'));
      await store.finish(RUN, 'a', APPLIED);
      const [first = ''] = (await readFile(file, 'utf8')).split('\n');
      await untilTheClockTicks();
      if (loss === 'deleted') await rm(file);
      else await writeFile(file, loss === 'cut' ? `${first}\n` : replaced);
      const lost = { type: 'EvidenceLost', message: expect.stringContaining('had 2 records') };
      await expect(store.openIntents(RUN)).rejects.toMatchObject(lost);
      await expect(store.begin(intent('b'))).rejects.toMatchObject(lost);
      await expect(store.head(RUN)).rejects.toMatchObject(lost);
      await rm(file, { force: true });
    }
  });

  it('proves that it has what the history of the run knows: another folder has not', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a'));
    const known = await store.head(RUN);
    await store.finish(RUN, 'a', APPLIED);
    await store.requireContinued(RUN, EMPTY_CHAIN);
    await store.requireContinued(RUN, known);
    await createFileEvidenceStore(folder).requireContinued(RUN, known);
    const elsewhere = createFileEvidenceStore(join(folder, 'elsewhere'));
    await elsewhere.requireContinued(RUN, EMPTY_CHAIN);
    for (const [other, wanted, words] of [
      [elsewhere, known, '0 are there'],
      [store, { ...known, hash: 'sha256:other' }, 'record 1 is sha256:'],
      [store, { ...known, records: 3 }, '2 are there'],
    ] as const) {
      await expect(other.requireContinued(RUN, wanted)).rejects.toMatchObject({
        type: 'EvidenceLost',
        message: expect.stringContaining(words),
      });
    }
  });

  it('reads what another process wrote meanwhile', async () => {
    const [store, other] = [createFileEvidenceStore(folder), createFileEvidenceStore(folder)];
    await store.begin(intent('a'));
    expect(idsOf(await store.openIntents(RUN))).toEqual(['a']);
    await other.begin(intent('b'));
    expect(idsOf(await store.openIntents(RUN))).toEqual(['a', 'b']);
    await other.finish(RUN, 'a', APPLIED);
    expect(idsOf(await store.openIntents(RUN))).toEqual(['b']);
    await store.finish(RUN, 'b', APPLIED);
    expect(await other.openIntents(RUN)).toEqual([]);
  });

  it('keeps the order of simultaneous writes, through several stores', async () => {
    const stores = [0, 1, 2].map(() => createFileEvidenceStore(folder));
    const ids = Array.from({ length: 30 }, (_, index) => `i${String(index)}`);
    await Promise.all(
      ids.map(async (id, index) => {
        const store = stores[index % 3] ?? createFileEvidenceStore(folder);
        await store.begin(intent(id));
        await store.finish(RUN, id, APPLIED);
      }),
    );
    const records = await createFileEvidenceStore(folder).read(RUN);
    expect(verifyChain(records)).toMatchObject({ kind: 'intact', records: 60 });
  });

  it('keeps runs apart, also when their ids differ only in what file names cannot hold', async () => {
    const store = createFileEvidenceStore(folder);
    const runs = [
      'a/b',
      'a%2Fb',
      "a'b",
      'a(b',
      '..',
      '.',
      '',
      'x'.repeat(300),
      `${'x'.repeat(300)}y`,
    ];
    for (const workflowId of runs) await store.begin(intent('a', { workflowId }));
    for (const workflowId of runs) {
      const [record] = await store.read({ workflowId, runId: RUN.runId });
      expect(record?.entry).toMatchObject({ intent: { workflowId } });
    }
    const names = await readdir(join(folder, 'evidence'));
    expect(names).toHaveLength(runs.length);
    expect(await readdir(folder)).toEqual(['evidence']);
  });

  it('writes no secret to disk', async () => {
    const store = createFileEvidenceStore(folder);
    await store.begin(intent('a', { reason: 'token: canary-1', proof: 'Bearer canary-2' }));
    await store.finish(RUN, 'a', { ...APPLIED, detail: 'https://x:canary-3@host' });
    expect(await readFile(file, 'utf8')).not.toContain('canary');
  });

  it('fails Unavailable where nothing can be written, so that no mutation follows', async () => {
    await writeFile(join(folder, 'evidence'), 'a file where a folder should be');
    const begin = createFileEvidenceStore(folder).begin(intent('a'));
    await expect(begin).rejects.toMatchObject({ type: 'Unavailable' });
  });
});
