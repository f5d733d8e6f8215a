import { describe, expect, it } from '@jest/globals';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';

const KEY = `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`;
const LOG_KEY = `MCowBQYDK2VwAyEA${'B'.repeat(42)}A=`;

/** Two certificates: one of an authority, one that may sign timestamps and nothing else. */
const AUTHORITY = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBLTCB4KADAgECAhR6itsal4/gqwPTcsi+6dtzgue2oTAFBgMrZXAwFDESMBAG',
  'A1UEAwwJYXV0aG9yaXR5MCAXDTI2MTEyODExMjYzMFoYDzIxMjYxMTA0MTEyNjMw',
  'WjAUMRIwEAYDVQQDDAlhdXRob3JpdHkwKjAFBgMrZXADIQAEMsr/IKOH8jVQCj5+',
  'REvSNnNlE5x+6a9SLxjmMLXVXaNCMEAwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8B',
  'Af8EBAMCAQYwHQYDVR0OBBYEFHcUpyy/hMToNB0ZkuXsSCXiJfVAMAUGAytlcANB',
  'AJH4PI3+udF5z2zRqDJE8pqZFf4HxInP+FWMwVQrmskgGFpuL8jS5YBm9WhdW62f',
  'Y5OvDAUCqa3ijNzy4kdzdgI=',
  '-----END CERTIFICATE-----',
].join('\n');
const SIGNER = [
  '-----BEGIN CERTIFICATE-----',
  'MIIBPDCB76ADAgECAhQ+bQ5Ma77DyC+N/MyGQ38GPi2I4TAFBgMrZXAwETEPMA0G',
  'A1UEAwwGc2lnbmVyMCAXDTI2MTEyODExMjYzMFoYDzIxMjYxMTA0MTEyNjMwWjAR',
  'MQ8wDQYDVQQDDAZzaWduZXIwKjAFBgMrZXADIQA6ID59rHekhzQ5AKTshB4K6BTw',
  'WIx9NCuh2IPPkumo16NXMFUwDAYDVR0TAQH/BAIwADAOBgNVHQ8BAf8EBAMCB4Aw',
  'FgYDVR0lAQH/BAwwCgYIKwYBBQUHAwgwHQYDVR0OBBYEFFeyCpQVisV9/zjDRiph',
  'NOyWUZX2MAUGAytlcANBAKIz7K9lvaPeERzIRb8t5A5qnN7HCyIsc2In2c+7Blur',
  '8XFSi4CvmKcaDYmlCuYYqDot3CmKQYLtC8ddqd97pgQ=',
  '-----END CERTIFICATE-----',
].join('\n');

function read(timestamps: unknown) {
  const log = { origin: 'logs.example.com/test', keys: [{ ed25519: LOG_KEY }], timestamps };
  const grants = [{ roles: ['requester'] }];
  const principals = [{ name: 'ana', keys: [{ ed25519: KEY }], grants }];
  return readAccessPolicy(
    JSON.stringify({
      ...{ apiVersion: 'ccm-migrate.dev/v1alpha1', kind: 'AccessPolicy' },
      ...{ metadata: { name: 'access' }, spec: { version: 1, principals, logs: [log] } },
    }),
  );
}

/** What is read of it; or what is wrong with it. */
function timestamps(written: unknown): unknown {
  const found = read(written);
  return found.kind === 'valid' ? found.policy.logs[0]?.timestamps : found.problems.join('; ');
}

const der = AUTHORITY.split('\n').slice(1, -1).join('');

describe('timestamps of a log, in an access policy', () => {
  it('are of authorities, and in time', () => {
    const known = { authorities: [der], withinSeconds: 3600 };
    expect(timestamps({ authorities: [AUTHORITY] })).toEqual(known);
    expect(timestamps({ authorities: [`${AUTHORITY}\n`], within: '1h' })).toEqual(known);
    const soon = timestamps({ authorities: [AUTHORITY, AUTHORITY], within: '1m500ms' });
    expect(soon).toEqual({ authorities: [der, der], withinSeconds: 60 });
    expect(timestamps(undefined)).toBeNull();
  });

  it.each<[string, unknown, string]>([
    ['no authority', { authorities: [] }, 'authorities'],
    ['no certificate', { authorities: ['MIIB'] }, 'write one certificate of an authority'],
    ['two in one text', { authorities: [`${AUTHORITY}\n${AUTHORITY}`] }, 'write one certificate'],
    ['one that signs by itself', { authorities: [SIGNER] }, 'write one certificate'],
    [
      'one that is cut off',
      { authorities: [AUTHORITY.replace(/\n.*\n-----END/, '\n-----END')] },
      'write one',
    ],
    ['a time too short', { authorities: [AUTHORITY], within: '10s' }, 'between 1m and 720h'],
    ['another member', { authorities: [AUTHORITY], url: 'http://a' }, 'url'],
  ])('are not %s', (_case, written, words) => {
    expect(timestamps(written)).toContain(words);
  });
});
