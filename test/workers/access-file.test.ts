import { chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { openAccessPolicy } from '../../workers/access-file.js';

const KEY = `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`;
const text = (version: number): string =>
  'apiVersion: ccm-migrate.dev/v1alpha1\nkind: AccessPolicy\nmetadata: {name: access}\n' +
  `spec:\n  version: ${String(version)}\n  principals:\n` +
  `    - {name: ana, keys: [{ed25519: ${KEY}}], grants: [{roles: [requester]}]}\n`;

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ccm-migrate-policy-'));
  path = join(folder, 'access-policy.yaml');
  await writeFile(path, text(1), { mode: 0o644 });
});
afterEach(() => rm(folder, { recursive: true }));

const open = () =>
  openAccessPolicy(path, {
    findCluster: () => Promise.reject(new Error('it is not asked')),
    log: pino({ level: 'silent' }),
  });

describe('the access policy of a worker', () => {
  it('is read again when it has changed', async () => {
    const authority = await open();
    expect((await authority.policy()).version).toBe(1);
    await writeFile(`${path}.new`, text(2), { mode: 0o644 });
    await rename(`${path}.new`, path);
    expect((await authority.policy()).version).toBe(2);
  });

  it('allows nothing while it is wrong, gone or open to others, and counts again when it is right', async () => {
    const authority = await open();
    for (const break_ of [
      () => writeFile(path, 'kind: AccessPolicy\n'),
      () => rm(path),
      () => writeFile(path, text(3)).then(() => chmod(path, 0o666)),
    ]) {
      await break_();
      await expect(authority.policy()).rejects.toMatchObject({
        type: 'Unavailable',
        message: expect.stringContaining('nothing is allowed'),
      });
      await writeFile(path, text(4));
      await chmod(path, 0o644);
      expect((await authority.policy()).version).toBe(4);
    }
  });

  it('must be right at the start', async () => {
    await writeFile(path, '{');
    await expect(open()).rejects.toThrow('not YAML');
  });
});
