import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { evidenceDatabaseIn, readWorkerEnvironment } from '../../config/environment.js';
import { openEvidenceAccess, readDatabaseUrl } from '../../config/evidence-database.js';

const NO_FILES = { passwordFile: '', authorityFile: '' };
const given = (url: string, authorityFile = '') =>
  readDatabaseUrl(url, { ...NO_FILES, authorityFile });

describe('the URL of the evidence database', () => {
  it.each([
    ['postgresql://ana@db.example.net:5432/evidence', 'ana', 'db.example.net', 5432, true],
    ['postgres://ana@10.0.0.7:6432/evidence', 'ana', '10.0.0.7', 6432, true],
    ['postgresql://ana@[fd00::1]:5432/evidence', 'ana', 'fd00::1', 5432, true],
    ['postgresql://ana%40x@db:5432/evidence', 'ana@x', 'db', 5432, true],
    ['postgresql://ana@127.evil.net:5432/evidence', 'ana', '127.evil.net', 5432, true],
    ['postgresql://ana@localhost:5432/evidence', 'ana', 'localhost', 5432, false],
    ['postgresql://ana@127.0.0.1:5432/evidence', 'ana', '127.0.0.1', 5432, false],
    ['postgresql://ana@[::1]:5432/evidence', 'ana', '::1', 5432, false],
    [
      'postgresql://ana@%2Fvar%2Frun%2Fpostgresql:5432/evidence',
      'ana',
      '/var/run/postgresql',
      5432,
      false,
    ],
  ])('%s is read', (url, user, host, port, encrypted) => {
    const database = { user, host, port, database: 'evidence', encrypted, ...NO_FILES };
    expect(given(url)).toEqual({ kind: 'valid', database });
  });

  it('an authority of its own is used on this machine, too', () => {
    expect(given('postgresql://ana@127.0.0.1:5432/evidence', 'ca.pem')).toMatchObject({
      database: { encrypted: true, authorityFile: 'ca.pem' },
    });
  });

  it.each([
    ['postgresql://ana:canary@db:5432/evidence', 'holds a password'],
    ['postgresql://ana:@db:5432/evidence', 'holds a password'],
    ['postgresql://ana:can/a@ry@db:5432/evidence', 'holds a password'],
    ['postgresql://ana:can?ary@db:5432/evidence', 'holds a password'],
    ['postgresql://ana@db:5432/evidence?sslmode=disable', 'without options'],
    ['postgresql://ana@db:5432/evidence?password=canary', 'without options'],
    ['postgresql://ana@db:5432/evidence#canary', 'without options'],
    ...[
      ['postgresql://ana@db/evidence'],
      ['postgresql://db:5432/evidence'],
      ['postgresql://@db:5432/evidence'],
      ['postgresql://ana@db:0/evidence'],
      ['postgresql://ana@db:65536/evidence'],
      ['postgresql://ana@db:5432/'],
      ['postgresql://ana@db:5432'],
      ['postgresql://ana@db:5432/evidence/canary'],
      ['postgresql://ana@db:5432/%E0%A4%A'],
      ['postgresql://ana@db:5432/a%00b'],
      ['mysql://ana@db:5432/evidence'],
      ['db:5432'],
    ].map(([url = '']) => [url, 'must be postgresql://user@host:port/database'] as const),
  ])('%s is refused, and never quoted', (url, words) => {
    const read = given(url);
    expect(read).toMatchObject({ kind: 'invalid', why: expect.stringContaining(words) });
    expect(JSON.stringify(read)).not.toMatch(/canary|can\/|can\?/);
  });
});

describe('the evidence database in an environment', () => {
  const ENV = {
    CCM_MIGRATE_EVIDENCE_DATABASE: 'postgresql://ana@db:5432/evidence',
    CCM_MIGRATE_EVIDENCE_PASSWORD_FILE: '/run/secrets/password',
    CCM_MIGRATE_EVIDENCE_CA_FILE: '/etc/ca.pem',
  };

  it('is the same for workers and for those who only read it', () => {
    const worker = readWorkerEnvironment({
      ...{ ...ENV, CCM_MIGRATE_INVENTORY: 'i', CCM_MIGRATE_STATE_DIR: 's' },
      CCM_MIGRATE_ACCESS_POLICY: 'p',
    });
    const database = evidenceDatabaseIn(ENV);
    expect(database).toMatchObject({
      ...{ host: 'db', encrypted: true },
      ...{ passwordFile: '/run/secrets/password', authorityFile: '/etc/ca.pem' },
    });
    expect(worker).toMatchObject({ environment: { evidenceDatabase: database } });
    expect(evidenceDatabaseIn({})).toBeNull();
  });

  it.each([
    [{ ...ENV, CCM_MIGRATE_EVIDENCE_DATABASE: 'db' }, /^CCM_MIGRATE_EVIDENCE_DATABASE must be/],
    [{ ...ENV, CCM_MIGRATE_EVIDENCE_DATABASE: '' }, /need CCM_MIGRATE_EVIDENCE_DATABASE$/],
  ])('%j is refused', (env, words) => {
    expect(() => evidenceDatabaseIn(env)).toThrow(words);
  });
});

describe('the files of the evidence database', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-database-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const PEM = '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n';
  async function opened(password: string | null, authority: string | null, mode = 0o600) {
    const [passwordFile, authorityFile] = [join(folder, 'password'), join(folder, 'ca.pem')];
    if (password !== null) {
      await writeFile(passwordFile, password);
      await chmod(passwordFile, mode);
    }
    if (authority !== null) await writeFile(authorityFile, authority);
    const read = readDatabaseUrl('postgresql://ana@db:5432/evidence', {
      ...{ passwordFile, authorityFile },
    });
    if (read.kind === 'invalid') throw new Error(read.why);
    return openEvidenceAccess(read.database);
  }

  it('are read, without the end of the line', async () => {
    expect(await opened(' can ary\n', PEM)).toMatchObject({ password: ' can ary', authority: PEM });
  });

  it('are none where none are named', async () => {
    const read = given('postgresql://ana@db:5432/evidence');
    if (read.kind === 'invalid') throw new Error(read.why);
    expect(await openEvidenceAccess(read.database)).toMatchObject({
      password: '',
      authority: null,
    });
  });

  it.each<readonly [string, string | null, string | null, number, RegExp]>([
    ['a password that the group may read', 'canary', PEM, 0o640, /others may read it: chmod 0600/],
    ['a password that all may read', 'canary', PEM, 0o604, /others may read it: chmod 0600/],
    ['no password', '\n', PEM, 0o600, /must hold the password on one line/],
    ['two lines', 'canary\ncanary\n', PEM, 0o600, /must hold the password on one line/],
    ['a long file', 'canary'.repeat(1000), PEM, 0o600, /larger than 4 KiB/],
    ['no file', null, PEM, 0o600, /password: there is no such file/],
    ['an authority that is none', 'canary', 'canary', 0o600, /holds no certificate/],
    ['no authority', 'canary', null, 0o600, /ca.pem: there is no such file/],
  ])('%s is refused, and never quoted', async (_name, password, authority, mode, words) => {
    const refused = await opened(password, authority, mode).catch((error: unknown) => error);
    expect(String(refused)).toMatch(words);
    expect(String(refused)).not.toContain('canary');
  });
});
