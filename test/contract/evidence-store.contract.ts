import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EvidenceStore } from '../../activities/evidence/evidence-store.js';
import type { RecordSigner } from '../../activities/evidence/record-signer.js';
import { digestText } from '../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord, verifyChain } from '../../domain/evidence/chain.js';
import { evidenceLine } from '../../domain/evidence/lines.js';
import type { EvidenceIntent } from '../../domain/evidence/record.js';
import {
  APPLIED,
  EVIDENCE_RUN as RUN,
  evidenceIntent as intent,
  ODD_IDS,
} from '../support/evidence-given.js';
import { testWorker } from '../support/signing.js';

/** What someone else does to the records of `RUN`: their owner, or a disk. */
export type Harm =
  | { readonly kind: 'deleted' }
  /** All but the first record are gone. */
  | { readonly kind: 'cut' }
  | { readonly kind: 'replaced'; readonly line: string }
  /** In the first record, without a trace but the content. */
  | { readonly kind: 'altered'; readonly from: string; readonly to: string };

/** Where stores keep evidence; empty for each test. */
export interface EvidencePlace {
  /** A store with a memory of its own, as another worker or a later process has. It signs its records where it has a key. */
  open(signer?: RecordSigner): EvidenceStore;
  harm(harm: Harm): Promise<void>;
  /** Everything that is kept, as one text. */
  kept(): Promise<string>;
  /** Changes the one text that is kept for `RUN`. */
  harmText(): Promise<void>;
}

export interface EvidencePlaces {
  empty(): Promise<EvidencePlace>;
  afterEach(): Promise<void>;
  close(): Promise<void>;
}

const idsOf = (intents: readonly EvidenceIntent[]): string[] => intents.map(({ id }) => id);
const TEXT = '{"objects":["naïve"]}';
const DIGEST = digestText(TEXT);

/** What every implementation of `EvidenceStore` does. */
export function evidenceStoreContract(
  name: string,
  openPlaces: () => Promise<EvidencePlaces>,
): void {
  describe(`EvidenceStore in ${name}`, () => {
    let places: EvidencePlaces;
    let place: EvidencePlace;
    let store: EvidenceStore;
    beforeAll(async () => {
      places = await openPlaces();
    });
    afterAll(() => places.close());
    beforeEach(async () => {
      place = await places.empty();
      store = place.open();
    });
    afterEach(() => places.afterEach());

    it('keeps intents and outcomes as one verified chain, and lists open intents', async () => {
      await store.begin(intent('a'));
      await store.begin(intent('b'));
      await store.finish(RUN, 'a', APPLIED);
      const records = await store.read(RUN);
      const head = await store.head(RUN);
      expect(head.records).toBe(3);
      expect(verifyChain(records, head).kind).toBe('intact');
      expect(idsOf(await store.openIntents(RUN))).toEqual(['b']);
    });

    it('has no records of an unknown run', async () => {
      expect(await store.read(RUN)).toEqual([]);
      expect(await store.head(RUN)).toEqual(EMPTY_CHAIN);
      expect(await store.openIntents(RUN)).toEqual([]);
    });

    it('has written when begin returns', async () => {
      await store.begin(intent('a'));
      expect(await place.kept()).toContain('"id":"a"');
    });

    it('records the same intent and its outcome once, however often they are sent', async () => {
      await store.begin(intent('a'));
      await store.begin(intent('a'));
      await place.open().begin(intent('a'));
      await store.finish(RUN, 'a', APPLIED);
      await store.finish(RUN, 'a', { ...APPLIED, kind: 'foundNotApplied' });
      expect((await store.head(RUN)).records).toBe(2);
    });

    it('records what was allowed once, whenever it is sent again', async () => {
      const authority = {
        ...RUN,
        verdict: 'accepted',
        ...{ cluster: 'alpha', at: '2026-11-21T09:59:00.000Z', verb: 'apply', actor: 'ana' },
        ...{ principal: 'ana', role: 'requester' },
        ...{ statement: 'sha256:22', detail: '' },
      } as const;
      await store.recordAuthority(authority);
      await store.recordAuthority({ ...authority, at: '2026-11-21T10:59:00.000Z' });
      await place.open().recordAuthority({ ...authority, at: '2026-11-21T11:59:00.000Z' });
      expect((await store.head(RUN)).records).toBe(1);
      await store.recordAuthority({ ...authority, verdict: 'refused' });
      expect((await store.head(RUN)).records).toBe(2);
    });

    it('signs its records where it has a key, each at its place in the chain', async () => {
      const [one, other] = [testWorker('one').signer, testWorker('other').signer];
      await store.begin(intent('a'));
      await place.open(one).begin(intent('b'));
      await place.open(other).finish(RUN, 'a', APPLIED);
      const records = await place.open().read(RUN);
      expect(verifyChain(records, await store.head(RUN)).kind).toBe('intact');
      expect(records.map((record) => record.signature === undefined)).toEqual([true, false, false]);
      expect(records.map((record) => one.isOwn(record))).toEqual([false, true, false]);
      expect(records.map((record) => other.isOwn(record))).toEqual([false, false, true]);
    });

    it('says so where what it began has an outcome of someone else, instead of leaving it at that', async () => {
      const { signer } = testWorker('one');
      const another = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('another') });
      const copied = { ...signer, isOwn: () => false, sign: () => signer.sign(another) };
      for (const planter of [undefined, testWorker('other').signer, copied]) {
        const own = place.open(signer);
        const id = `by ${planter?.keyId ?? 'no one'}${planter === copied ? ', copied' : ''}`;
        await own.begin(intent(id));
        await place.open(planter).finish(RUN, id, { ...APPLIED, kind: 'refused' });
        await expect(own.finish(RUN, id, APPLIED)).rejects.toMatchObject({
          type: 'EvidenceLost',
          details: [{ intentId: id, outcome: 'applied' }],
        });
        await place.open(signer).finish(RUN, id, APPLIED);
      }
      expect((await store.head(RUN)).records).toBe(6);
    });

    it('changes nothing where its outcome is there, or that of what another began', async () => {
      const { signer } = testWorker('one');
      const own = place.open(signer);
      await own.begin(intent('a'));
      await own.finish(RUN, 'a', APPLIED);
      await own.finish(RUN, 'a', { ...APPLIED, kind: 'refused' });
      await own.begin(intent('b'));
      await place.open(signer).finish(RUN, 'b', APPLIED);
      await own.finish(RUN, 'b', APPLIED);
      await store.begin(intent('c'));
      await store.finish(RUN, 'c', APPLIED);
      await own.finish(RUN, 'c', APPLIED);
      expect((await store.head(RUN)).records).toBe(6);
    });

    it('records what was allowed once for each worker that signs it', async () => {
      const { signer } = testWorker('one');
      const said = { ...RUN, cluster: 'alpha', at: '2026-11-21T09:59:00.000Z', detail: '' };
      const by = { actor: 'ana', principal: 'ana', role: 'operator', statement: 'sha256:1' };
      const accepted = { ...said, ...by, verb: 'rollBack', verdict: 'accepted' } as const;
      await store.recordAuthority(accepted);
      const signing = place.open(signer);
      await signing.recordAuthority(accepted);
      await place.open(signer).recordAuthority(accepted);
      await place.open().recordAuthority(accepted);
      const records = await store.acceptances(RUN);
      expect(records.map((record) => signer.isOwn(record))).toEqual([false, true]);
    });

    it('tells which statements were accepted for a run, through any store', async () => {
      const said = { ...RUN, cluster: 'alpha', at: '2026-11-21T09:59:00.000Z', detail: '' };
      const by = { actor: 'ana', principal: 'ana', role: 'operator' };
      const about = { verb: 'rollBack', ...said, ...by } as const;
      await store.recordAuthority({ ...about, verdict: 'accepted', statement: 'sha256:1' });
      await store.recordAuthority({ ...about, verdict: 'refused', statement: 'sha256:2' });
      await place.open().recordAuthority({ ...about, verdict: 'accepted', statement: 'sha256:3' });
      const records = await store.read(RUN);
      const accepted = [records[0], records[2]];
      expect(await store.acceptances(RUN)).toEqual(accepted);
      expect(await place.open().acceptances(RUN)).toEqual(accepted);
      expect(await store.acceptances({ ...RUN, runId: 'another' })).toEqual([]);
    });

    it.each<[string, (store: EvidenceStore) => Promise<void>]>([
      ['another intent under the same id', (to) => to.begin(intent('a', { after: 'x' }))],
      ['an outcome without its intent', (to) => to.finish(RUN, 'z', APPLIED)],
    ])('refuses %s', async (_name, act) => {
      await store.begin(intent('a'));
      await expect(act(store)).rejects.toMatchObject({ type: 'Bug' });
      expect((await store.head(RUN)).records).toBe(1);
    });

    it('continues after a crash: a new store finds the open intents and continues the chain', async () => {
      await store.begin(intent('a'));
      const next = place.open();
      expect(idsOf(await next.openIntents(RUN))).toEqual(['a']);
      await next.finish(RUN, 'a', { ...APPLIED, kind: 'foundApplied' });
      expect(verifyChain(await next.read(RUN))).toMatchObject({ kind: 'intact', records: 2 });
    });

    it('never appends to a chain that was tampered with', async () => {
      await store.begin(intent('a'));
      await place.harm({ kind: 'altered', from: 'ana', to: 'eve' });
      const other = place.open();
      const broken = { type: 'PreconditionFailed', message: expect.stringContaining('record 0') };
      await expect(other.begin(intent('b'))).rejects.toMatchObject(broken);
      await expect(other.read(RUN)).rejects.toMatchObject(broken);
      expect(await place.kept()).not.toContain('"id":"b"');
    });

    it('never trusts its memory of a chain that was tampered with since', async () => {
      await store.begin(intent('a'));
      expect(idsOf(await store.openIntents(RUN))).toEqual(['a']);
      await place.harm({ kind: 'altered', from: 'ana', to: 'eve' });
      const broken = { type: 'PreconditionFailed', message: expect.stringContaining('record 0') };
      await expect(store.openIntents(RUN)).rejects.toMatchObject(broken);
      await expect(store.begin(intent('b'))).rejects.toMatchObject(broken);
    });

    it('notices a chain that was deleted, cut or replaced while it wrote it, and adds nothing to it', async () => {
      const replaced = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('z') });
      for (const harm of [
        { kind: 'deleted' },
        { kind: 'cut' },
        { kind: 'replaced', line: evidenceLine(replaced) },
      ] as const) {
        const writer = place.open();
        await writer.begin(intent('a'));
        await writer.finish(RUN, 'a', APPLIED);
        await place.harm(harm);
        const lost = { type: 'EvidenceLost', message: expect.stringContaining('had 2 records') };
        await expect(writer.openIntents(RUN)).rejects.toMatchObject(lost);
        await expect(writer.begin(intent('b'))).rejects.toMatchObject(lost);
        await expect(writer.head(RUN)).rejects.toMatchObject(lost);
        expect(await place.kept()).not.toContain('"id":"b"');
        await place.harm({ kind: 'deleted' });
      }
    });

    it('proves that it has what the history of the run knows: an empty place has not', async () => {
      await store.begin(intent('a'));
      const known = await store.head(RUN);
      await store.finish(RUN, 'a', APPLIED);
      await store.requireContinued(RUN, EMPTY_CHAIN);
      await store.requireContinued(RUN, known);
      await place.open().requireContinued(RUN, known);
      const refused = async (of: EvidenceStore, wanted: typeof known, words: string) => {
        await expect(of.requireContinued(RUN, wanted)).rejects.toMatchObject({
          type: 'EvidenceLost',
          message: expect.stringContaining(words),
        });
      };
      await refused(store, { ...known, hash: 'sha256:other' }, 'record 1 is sha256:');
      await refused(store, { ...known, records: 3 }, '2 are there');
      await place.harm({ kind: 'deleted' });
      await place.open().requireContinued(RUN, EMPTY_CHAIN);
      await refused(place.open(), known, '0 are there');
    });

    it('reads what another process wrote meanwhile', async () => {
      const other = place.open();
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
      const stores = [place.open(), place.open(), place.open()];
      const ids = Array.from({ length: 30 }, (_, index) => `i${String(index)}`);
      await Promise.all(
        ids.map(async (id, index) => {
          const writer = stores[index % 3] ?? store;
          await writer.begin(intent(id));
          await writer.finish(RUN, id, APPLIED);
        }),
      );
      const records = await place.open().read(RUN);
      expect(verifyChain(records)).toMatchObject({ kind: 'intact', records: 60 });
    });

    it('keeps runs apart, also when their ids differ only in what file names cannot hold', async () => {
      for (const workflowId of ODD_IDS) await store.begin(intent('a', { workflowId }));
      for (const workflowId of ODD_IDS) {
        const [record, ...more] = await store.read({ ...RUN, workflowId });
        expect(record?.entry).toMatchObject({ intent: { workflowId } });
        expect(more).toEqual([]);
      }
    });

    it('keeps no secret', async () => {
      const diff = '+password: canary-4\n';
      await store.begin(intent('a', { reason: 'token: canary-1', proof: 'Bearer canary-2', diff }));
      await store.finish(RUN, 'a', { ...APPLIED, detail: 'https://x:canary-3@host' });
      expect(await place.kept()).not.toContain('canary');
    });

    it('finds a text by its digest, through any store, and in its own run only', async () => {
      await store.keepText(RUN, TEXT);
      await store.keepText(RUN, TEXT);
      const other = place.open();
      await other.keepText(RUN, TEXT);
      expect(await other.keptText(RUN, DIGEST)).toBe(TEXT);
      expect(await other.keptText({ ...RUN, runId: 'run-2' }, DIGEST)).toBeNull();
      expect(await other.keptText(RUN, digestText('other'))).toBeNull();
      expect((await other.head(RUN)).records).toBe(0);
    });

    it('has no text that was changed', async () => {
      await store.keepText(RUN, TEXT);
      await place.harmText();
      expect(await store.keptText(RUN, DIGEST)).toBeNull();
    });

    it.each(['sha256:../../other', 'sha256:', '../x', `sha256:${'A'.repeat(64)}`])(
      'a digest from a history that is none names nothing: %s',
      async (digest) => {
        const asked = store.keptText(RUN, digest);
        await expect(asked).rejects.toMatchObject({ type: 'InvalidInput' });
      },
    );
  });
}
