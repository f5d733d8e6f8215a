import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EvidenceStore } from '../../../activities/evidence/evidence-store.js';
import {
  createPostgresEvidenceStore,
  type PostgresEvidenceStore,
} from '../../../activities/evidence/postgres-evidence-store.js';
import { EMPTY_CHAIN, nextRecord, verifyChain } from '../../../domain/evidence/chain.js';
import { evidenceLine } from '../../../domain/evidence/lines.js';
import {
  APPLIED,
  EVIDENCE_RUN as RUN,
  evidenceIntent as intent,
} from '../../support/evidence-given.js';
import {
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../support/postgres-server.js';

const why = whyNoPostgres();
const ROWS = 'SELECT * FROM evidence.records ORDER BY sequence';

/** What is true of a database alone; the rest is in test/contract/evidence-store.contract.ts. */
(why === null ? describe : describe.skip)(
  `evidence in PostgreSQL${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    const opened: PostgresEvidenceStore[] = [];
    const open = (access = server.worker): PostgresEvidenceStore => {
      const store = createPostgresEvidenceStore(access, 'write');
      opened.push(store);
      return store;
    };
    beforeAll(async () => {
      server = await startPostgres();
    });
    beforeEach(() => server.asOwner('TRUNCATE evidence.records, evidence.texts'));
    afterEach(async () => {
      await server.asOwner('GRANT INSERT, SELECT ON evidence.records TO ccm_migrate_worker');
      await Promise.all(opened.splice(0).map((store) => store.close()));
    });
    afterAll(() => server.close());

    const filled = async (): Promise<EvidenceStore> => {
      const store = open();
      for (const id of ['a', 'b']) {
        await store.begin(intent(id));
        await store.finish(RUN, id, APPLIED);
      }
      return store;
    };

    it('a row holds the line of a file, and its hash', async () => {
      await open().begin(intent('a'));
      const record = nextRecord(EMPTY_CHAIN, { kind: 'intent', intent: intent('a') });
      expect(await server.asOwner(ROWS)).toEqual([
        {
          ...{ workflow_id: RUN.workflowId, run_id: RUN.runId, sequence: 0 },
          ...{ hash: record.hash, line: evidenceLine(record) },
        },
      ]);
    });

    it('two workers that write at once make one chain', async () => {
      const stores = [open(), open()];
      await Promise.all(
        stores.flatMap((store, worker) =>
          Array.from({ length: 15 }, async (_, index) => {
            const id = `${String(worker)}-${String(index)}`;
            await store.begin(intent(id));
            await store.finish(RUN, id, APPLIED);
          }),
        ),
      );
      const records = await open().read(RUN);
      expect(verifyChain(records)).toMatchObject({ kind: 'intact', records: 60 });
      const [first, second] = await Promise.all(stores.map((store) => store.head(RUN)));
      expect(first).toEqual(second);
    });

    it('the same intent, sent by two workers at once, is recorded once', async () => {
      await Promise.all([open(), open()].map((store) => store.begin(intent('a'))));
      expect(await server.asOwner(ROWS)).toHaveLength(1);
    });

    it.each([
      ["UPDATE evidence.records SET line = 'x'", 'UPDATE'],
      ['DELETE FROM evidence.records', 'DELETE'],
      ['TRUNCATE evidence.records', 'TRUNCATE'],
      ["UPDATE evidence.texts SET text = 'x'", 'UPDATE'],
      ['DELETE FROM evidence.texts', 'DELETE'],
      ['TRUNCATE evidence.texts', 'TRUNCATE'],
      ['DROP TABLE evidence.records', 'DROP'],
      ['CREATE TABLE evidence.more (a int)', 'CREATE'],
      ['ALTER TABLE evidence.records DROP COLUMN hash', 'ALTER'],
    ])('a worker may not: %s', async (sql) => {
      await filled();
      for (const role of ['worker_1', 'auditor_1']) {
        await expect(server.asOwner(`SET ROLE ${role}; ${sql}`)).rejects.toMatchObject({
          code: '42501',
        });
      }
      expect(await server.asOwner(ROWS)).toHaveLength(4);
    });

    it('an auditor reads, and may add nothing', async () => {
      await filled();
      const auditor = createPostgresEvidenceStore(server.auditor, 'read');
      opened.push(auditor);
      expect(await auditor.read(RUN)).toHaveLength(4);
      await expect(auditor.begin(intent('c'))).rejects.toMatchObject({
        type: 'Unavailable',
        message: expect.stringMatching(/lacks rights; .*deploy\/evidence\/schema\.sql/),
      });
      expect(await server.asOwner(ROWS)).toHaveLength(4);
    });

    it.each<readonly [string, string, string]>([
      ['the end is gone', 'DELETE FROM evidence.records WHERE sequence = 3', 'EvidenceLost'],
      ['all is gone', 'DELETE FROM evidence.records', 'EvidenceLost'],
      [
        'the middle is gone',
        'DELETE FROM evidence.records WHERE sequence = 1',
        'PreconditionFailed',
      ],
      [
        'the hash of the last row differs from its line',
        "UPDATE evidence.records SET hash = 'sha256:00' WHERE sequence = 3",
        'PreconditionFailed',
      ],
      [
        'the last line was edited',
        "UPDATE evidence.records SET line = replace(line, 'applied', 'refused') WHERE sequence = 3",
        'PreconditionFailed',
      ],
      [
        'the last line is spelt otherwise',
        "UPDATE evidence.records SET line = ' ' || line WHERE sequence = 3",
        'PreconditionFailed',
      ],
      [
        'a row holds no whole line',
        "UPDATE evidence.records SET line = rtrim(line, E'\\n') WHERE sequence = 3",
        'PreconditionFailed',
      ],
      [
        'a row holds two lines',
        'UPDATE evidence.records SET line = line || line WHERE sequence = 3',
        'PreconditionFailed',
      ],
      [
        'a row was added that follows nothing',
        'INSERT INTO evidence.records SELECT workflow_id, run_id, 9, hash, line FROM evidence.records WHERE sequence = 3',
        'PreconditionFailed',
      ],
    ])('where %s, nothing is added by any worker', async (_name, sql, type) => {
      const store = await filled();
      const known = await store.head(RUN);
      await server.asOwner(sql);
      const left = await server.asOwner(ROWS);
      await expect(store.begin(intent('c'))).rejects.toMatchObject({ type });
      await expect(store.openIntents(RUN)).rejects.toMatchObject({ type });
      await expect(open().requireContinued(RUN, known)).rejects.toMatchObject({ type });
      expect(await server.asOwner(ROWS)).toEqual(left);
    });

    it('a middle of a chain that was edited is noticed where it is read whole', async () => {
      const store = await filled();
      await server.asOwner(
        "UPDATE evidence.records SET line = replace(line, 'ana', 'eve') WHERE sequence = 0",
      );
      const broken = { type: 'PreconditionFailed', message: expect.stringContaining('record 0') };
      await expect(store.read(RUN)).rejects.toMatchObject(broken);
      await expect(open().begin(intent('c'))).rejects.toMatchObject(broken);
    });

    it('a chain that was written by another, and does not follow what was seen, is not continued', async () => {
      const store = await filled();
      const [, second] = await store.read(RUN);
      if (second === undefined) throw new Error('no record');
      const again = { ...second, sequence: 4, previous: (await store.head(RUN)).hash };
      const { entry } = again;
      const forged = nextRecord({ records: 4, hash: again.previous }, entry);
      await server.asOwner('INSERT INTO evidence.records VALUES ($1, $2, 4, $3, $4)', [
        ...[RUN.workflowId, RUN.runId, forged.hash, evidenceLine(forged)],
      ]);
      await expect(store.begin(intent('c'))).rejects.toMatchObject({
        type: 'PreconditionFailed',
        message: expect.stringContaining('second outcome of intent a'),
      });
    });

    it("another run's chain is not this run's", async () => {
      await filled();
      await server.asOwner("UPDATE evidence.records SET run_id = 'run-2'");
      await expect(open().head({ ...RUN, runId: 'run-2' })).rejects.toMatchObject({
        type: 'PreconditionFailed',
        message: expect.stringContaining('it belongs to another run'),
      });
    });

    it('a lost chain that is brought back is continued', async () => {
      const store = await filled();
      const rows = await server.asOwner(ROWS);
      await server.asOwner('DELETE FROM evidence.records WHERE sequence = 3');
      await expect(store.begin(intent('c'))).rejects.toMatchObject({ type: 'EvidenceLost' });
      const last = rows.at(-1) ?? {};
      await server.asOwner('INSERT INTO evidence.records VALUES ($1, $2, $3, $4, $5)', [
        ...Object.values(last),
      ]);
      await store.begin(intent('c'));
      expect(await store.head(RUN)).toMatchObject({ records: 5 });
    });

    it('a text that was changed cannot be kept again, and says who can help', async () => {
      const store = open();
      await store.keepText(RUN, '{"a":1}');
      await server.asOwner("UPDATE evidence.texts SET text = 'other'");
      await expect(store.keepText(RUN, '{"a":1}')).rejects.toMatchObject({
        type: 'PreconditionFailed',
        message: expect.stringContaining('its owner deletes that row'),
      });
    });

    it('a table without its key, which orders writers, is not written to', async () => {
      await server.asOwner('ALTER TABLE evidence.records DROP CONSTRAINT records_pkey');
      try {
        await expect(open().begin(intent('a'))).rejects.toMatchObject({
          type: 'Unavailable',
          message: expect.stringContaining('lack their primary key'),
        });
      } finally {
        await server.asOwner(
          'ALTER TABLE evidence.records ADD PRIMARY KEY (workflow_id, run_id, sequence)',
        );
      }
    });
  },
);
