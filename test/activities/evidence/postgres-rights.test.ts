import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPostgresEvidenceStore } from '../../../activities/evidence/postgres-evidence-store.js';
import { evidenceIntent as intent } from '../../support/evidence-given.js';
import {
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../support/postgres-server.js';

const why = whyNoPostgres();
const WORDS = /may change or delete records.*role ccm_migrate_worker alone/;

(why === null ? describe : describe.skip)(
  `rights of a worker in PostgreSQL${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    beforeEach(() => server.asOwner('TRUNCATE evidence.records, evidence.texts'));
    afterAll(() => server.close());

    const rows = async () => (await server.asOwner('SELECT * FROM evidence.records')).length;
    /** As a worker that has just started. */
    async function begun(): Promise<void> {
      const store = createPostgresEvidenceStore(server.worker, 'write');
      try {
        await store.begin(intent('a'));
      } finally {
        await store.close();
      }
    }

    it.each<readonly [string, string, string]>([
      ['is an administrator', 'ALTER ROLE worker_1 SUPERUSER', 'ALTER ROLE worker_1 NOSUPERUSER'],
      [
        'can become the owner of the tables',
        'CREATE ROLE keeper; ALTER TABLE evidence.texts OWNER TO keeper; GRANT keeper TO worker_1',
        'ALTER TABLE evidence.texts OWNER TO CURRENT_USER; DROP ROLE keeper',
      ],
      ...(['DELETE', 'TRUNCATE', 'TRIGGER', 'UPDATE', 'UPDATE (line)'] as const).map(
        (right) =>
          [
            `has the right to ${right}`,
            `GRANT ${right} ON evidence.records TO worker_1`,
            `REVOKE ${right} ON evidence.records FROM worker_1`,
          ] as const,
      ),
    ])('a user that %s records nothing', async (_how, grant, revoke) => {
      await server.asOwner(grant);
      try {
        await expect(begun()).rejects.toMatchObject({
          ...{ type: 'Unavailable', message: expect.stringMatching(WORDS) },
        });
        expect(await rows()).toBe(0);
      } finally {
        await server.asOwner(revoke);
      }
      await begun();
    });
  },
);
