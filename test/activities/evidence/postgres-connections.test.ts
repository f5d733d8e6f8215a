import { once } from 'node:events';
import { chown, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EvidenceUse } from '../../../activities/evidence/postgres-connections.js';
import {
  createPostgresEvidenceStore,
  type PostgresEvidenceStore,
} from '../../../activities/evidence/postgres-evidence-store.js';
import { verifyChain } from '../../../domain/evidence/chain.js';
import { createAuthority } from '../../../testbed/base/auth/certificates.js';
import { eventually } from '../../contract/eventually.js';
import {
  APPLIED,
  EVIDENCE_RUN as RUN,
  evidenceIntent as intent,
} from '../../support/evidence-given.js';
import {
  DATABASE_PASSWORD,
  type PostgresServer,
  startPostgres,
  whyNoPostgres,
} from '../../support/postgres-server.js';

const why = whyNoPostgres();

/** Passes everything on, until it cuts a connection instead of passing an answer. */
async function startProxy(to: number) {
  let left = Infinity;
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const database = connect(to, '127.0.0.1');
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        database.destroy();
      });
    }
    client.on('data', (bytes) => database.write(bytes));
    database.on('data', (bytes) => {
      if (left > 0) {
        left -= 1;
        client.write(bytes);
      } else {
        left = Infinity;
        client.destroy();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    cutAfter: (answers: number): void => {
      left = answers;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}

(why === null ? describe : describe.skip)(
  `connections to PostgreSQL${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    const opened: PostgresEvidenceStore[] = [];
    const open = (
      access: Partial<PostgresServer['worker']> = {},
      use: EvidenceUse = 'write',
    ): PostgresEvidenceStore => {
      const store = createPostgresEvidenceStore({ ...server.worker, ...access }, use);
      opened.push(store);
      return store;
    };
    const rows = async () => (await server.asOwner('SELECT * FROM evidence.records')).length;
    beforeAll(async () => {
      server = await startPostgres();
    });
    beforeEach(() => server.asOwner('TRUNCATE evidence.records, evidence.texts'));
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((store) => store.close()));
    });
    afterAll(() => server.close());

    /** Changes the configuration of the running server. */
    const reload = async (sql: string): Promise<void> => {
      await server.asOwner(sql);
      await server.asOwner('SELECT pg_reload_conf()');
      const wanted = sql.includes('RESET') ? 'on' : 'off';
      await eventually(10_000, async () => {
        const [shown] = await server.asOwner('SHOW synchronous_commit');
        return shown?.['synchronous_commit'] === wanted ? wanted : null;
      });
    };
    const unavailable = (words: string | RegExp) => ({
      type: 'Unavailable',
      message: expect.stringMatching(words),
    });

    it.each<readonly [string, string, string, RegExp]>([
      ['synchronous_commit', 'off', 'on', /set synchronous_commit = on for this user/],
      ['default_transaction_read_only', 'on', 'off', /turn default_transaction_read_only off/],
    ])('a user with %s = %s changes nothing', async (setting, bad, good, words) => {
      await server.asOwner(`ALTER ROLE worker_1 SET ${setting} = ${bad}`);
      try {
        await expect(open().begin(intent('a'))).rejects.toMatchObject(unavailable(words));
        expect(await rows()).toBe(0);
        expect(await open({}, 'read').read(RUN)).toEqual([]);
      } finally {
        await server.asOwner(`ALTER ROLE worker_1 SET ${setting} = ${good}`);
      }
      await open().begin(intent('a'));
    });

    it.each(['local', 'remote_write', 'remote_apply'])(
      'synchronous_commit = %s waits for the disk of the server, which is enough',
      async (setting) => {
        await server.asOwner(`ALTER ROLE worker_1 SET synchronous_commit = ${setting}`);
        await open().begin(intent('a'));
        await server.asOwner('ALTER ROLE worker_1 RESET synchronous_commit');
      },
    );

    it('a reload of the configuration turns no session that was checked', async () => {
      const store = open();
      await store.begin(intent('a'));
      await server.asOwner('CREATE TABLE evidence.seen (commits text)');
      await server.asOwner(
        "CREATE FUNCTION evidence.see() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN INSERT INTO evidence.seen VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$",
      );
      await server.asOwner(
        'CREATE TRIGGER see BEFORE INSERT ON evidence.records FOR EACH ROW EXECUTE FUNCTION evidence.see()',
      );
      await reload('ALTER SYSTEM SET synchronous_commit = off');
      try {
        await store.begin(intent('b'));
        expect(await server.asOwner('SELECT * FROM evidence.seen')).toEqual([{ commits: 'on' }]);
        const refused = unavailable('set synchronous_commit = on');
        await expect(open().begin(intent('c'))).rejects.toMatchObject(refused);
      } finally {
        await server.asOwner('DROP FUNCTION evidence.see() CASCADE');
        await server.asOwner('DROP TABLE evidence.seen');
        await reload('ALTER SYSTEM RESET synchronous_commit');
      }
    });

    it('a full disk is said, nothing is recorded, and the next try continues', async () => {
      const store = open();
      await store.begin(intent('a'));
      await server.asOwner(
        "CREATE FUNCTION evidence.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION USING ERRCODE = '53100', MESSAGE = 'could not extend file'; END $$",
      );
      await server.asOwner(
        'CREATE TRIGGER full_disk BEFORE INSERT ON evidence.records FOR EACH ROW EXECUTE FUNCTION evidence.full_disk()',
      );
      await server.asOwner('GRANT EXECUTE ON FUNCTION evidence.full_disk() TO PUBLIC');
      try {
        await expect(store.begin(intent('b'))).rejects.toMatchObject(
          unavailable('its disk is full'),
        );
        expect(await rows()).toBe(1);
      } finally {
        await server.asOwner('DROP FUNCTION evidence.full_disk() CASCADE');
      }
      await store.begin(intent('b'));
      expect(verifyChain(await store.read(RUN))).toMatchObject({ records: 2 });
    });

    it.each<readonly [string, Partial<PostgresServer['worker']>, RegExp]>([
      ['another password', { password: 'canary-of-another' }, /refuses the password; see CCM_/],
      ['no password', { password: '' }, /PostgreSQL 127/],
      ['another user', { user: 'eve' }, /refuses the password/],
      ['another database', { database: 'nowhere' }, /there is no such database/],
      ['a database without the tables', { database: 'postgres' }, /tables are not there; an admin/],
      ['a port that no one listens at', { port: 1 }, /ECONNREFUSED/],
      ['a name that is none', { host: 'nowhere.invalid' }, /nowhere\.invalid/],
    ])('%s is said, without a secret', async (_name, access, words) => {
      const refused: unknown = await open(access)
        .begin(intent('a'))
        .catch((error: unknown) => error);
      expect(refused).toMatchObject(unavailable(words));
      const said = JSON.stringify([refused, Object.entries(Object(refused)), String(refused)]);
      expect(said).not.toContain('canary');
      expect(said).not.toContain(DATABASE_PASSWORD);
    });

    it('takes nothing from the variables of libpq', async () => {
      const set = { PGPASSWORD: DATABASE_PASSWORD, PGOPTIONS: '-c synchronous_commit=off' };
      Object.assign(process.env, set);
      try {
        await open().begin(intent('a'));
        await expect(open({ password: '' }).begin(intent('b'))).rejects.toMatchObject({
          type: 'Unavailable',
        });
      } finally {
        for (const name of Object.keys(set)) Reflect.deleteProperty(process.env, name);
      }
    });

    it('a server that dies is Unavailable, and what it had acknowledged is continued after it is back', async () => {
      const store = open();
      await store.begin(intent('a'));
      await server.kill();
      await expect(store.finish(RUN, 'a', APPLIED)).rejects.toMatchObject({ type: 'Unavailable' });
      await expect(store.openIntents(RUN)).rejects.toMatchObject({ type: 'Unavailable' });
      await server.start();
      await store.finish(RUN, 'a', APPLIED);
      expect(await store.openIntents(RUN)).toEqual([]);
      expect(verifyChain(await store.read(RUN))).toMatchObject({ kind: 'intact', records: 2 });
    });

    it('a commit whose answer is lost is found again, and recorded once', async () => {
      const proxy = await startProxy(server.worker.port);
      try {
        const store = open({ port: proxy.port });
        await store.begin(intent('a'));
        // The next answers but one: that to the read comes through, that to the insert does not.
        proxy.cutAfter(1);
        await expect(store.begin(intent('b'))).rejects.toMatchObject({ type: 'Unavailable' });
        expect(await rows()).toBe(2);
        await store.begin(intent('b'));
        await open().begin(intent('b'));
        expect(await rows()).toBe(2);
        expect((await store.openIntents(RUN)).map(({ id }) => id)).toEqual(['a', 'b']);
      } finally {
        await proxy.close();
      }
    });

    it('a server that does not answer holds up nothing for longer than the limits', async () => {
      const known = open();
      await known.begin(intent('a'));
      const lock = server.asOwner(
        'BEGIN; LOCK TABLE evidence.records IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(14); COMMIT',
      );
      await eventually(10_000, async () => {
        const held = await server.asOwner(
          "SELECT FROM pg_locks WHERE mode = 'AccessExclusiveLock' AND relation = 'evidence.records'::regclass",
        );
        return held.length > 0 ? held : null;
      });
      const startedAt = performance.now();
      await expect(known.begin(intent('b'))).rejects.toMatchObject(unavailable('it took too long'));
      server.freeze();
      try {
        await expect(open().begin(intent('b'))).rejects.toMatchObject(unavailable('timeout'));
      } finally {
        server.thaw();
      }
      expect(performance.now() - startedAt).toBeLessThan(40_000);
      await lock;
      await known.begin(intent('b'));
    });
  },
);

(why === null ? describe : describe.skip)(
  `servers that are not to be trusted with evidence${why === null ? '' : ` (not run: ${why})`}`,
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await startPostgres();
    });
    afterAll(() => server.close());

    const begin = async (access: Partial<PostgresServer['worker']> = {}): Promise<void> => {
      const store = createPostgresEvidenceStore({ ...server.worker, ...access }, 'write');
      await store.begin(intent('a')).finally(() => store.close());
    };

    it('one without fsync is refused', async () => {
      await server.kill();
      await server.start('fsync = off');
      await expect(begin()).rejects.toMatchObject({
        ...{ type: 'Unavailable', message: expect.stringContaining('set fsync = on') },
      });
      await server.kill();
      await server.start('fsync = on');
      await begin();
    });

    it('one that must prove its name does so, by its authority', async () => {
      const [authority, other] = [createAuthority('ours'), createAuthority('another')];
      const encrypted = { encrypted: true, authority: authority.certificatePem };
      await expect(begin(encrypted)).rejects.toMatchObject({
        ...{ type: 'Unavailable', message: expect.stringContaining('does not support SSL') },
      });
      await serveTls(server, authority.issueServer(['127.0.0.1']));
      await begin(encrypted);
      const untrusted = { type: 'Unavailable', message: expect.stringMatching(/certificate/) };
      await expect(begin({ ...encrypted, authority: null })).rejects.toMatchObject(untrusted);
      await expect(begin({ ...encrypted, authority: other.certificatePem })).rejects.toMatchObject(
        untrusted,
      );
      await serveTls(server, authority.issueServer(['localhost', '127.0.0.2']));
      await expect(begin(encrypted)).rejects.toMatchObject({
        ...{ type: 'Unavailable', message: expect.stringMatching(/altnames|127\.0\.0\.1/) },
      });
      await begin({ ...encrypted, host: 'localhost' });
    });

    it('a replica is refused to workers, and read by auditors', async () => {
      await begin();
      await server.kill();
      await writeFile(join(server.folder, 'data', 'standby.signal'), '');
      await server.start();
      await expect(begin()).rejects.toMatchObject({
        ...{ type: 'Unavailable', message: expect.stringContaining('name the primary') },
      });
      const auditor = createPostgresEvidenceStore(server.auditor, 'read');
      expect(await auditor.read(RUN)).toHaveLength(1);
      await auditor.close();
    });
  },
);

/** Restarts the server with this certificate. */
async function serveTls(
  server: PostgresServer,
  identity: { readonly certificatePem: string; readonly privateKeyPem: string },
): Promise<void> {
  const data = join(server.folder, 'data');
  const { uid, gid } = await stat(data);
  for (const [name, pem] of [
    ['server.crt', identity.certificatePem],
    ['server.key', identity.privateKeyPem],
  ] as const) {
    await writeFile(join(data, name), pem, { mode: 0o600 });
    await chown(join(data, name), uid, gid);
  }
  await server.kill();
  await server.start('ssl = on');
}
