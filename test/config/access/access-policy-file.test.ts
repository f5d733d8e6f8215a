import { describe, expect, it } from '@jest/globals';
import { readAccessPolicy } from '../../../config/access/access-policy-file.js';
import { sshString } from '../../../config/access/ssh-wire.js';

const KEY = `MCowBQYDK2VwAyEA${'A'.repeat(43)}=`;
const OTHER = `MCowBQYDK2VwAyEA${'B'.repeat(42)}A=`;
const policy = (spec: string): string =>
  `apiVersion: ccm-migrate.dev/v1alpha1\nkind: AccessPolicy\nmetadata: {name: access}\nspec:\n${spec}`;
/** Of `KEY`, which is all zeros, on a FIDO token. */
const FIDO_BLOB = Buffer.concat(
  ['sk-ssh-ed25519@openssh.com', Buffer.alloc(32), 'ssh:'].map(sshString),
).toString('base64');
const ONE = `  version: 3
  principals:
    - name: ana@example.com
      keys: [{ed25519: ${KEY}}]
      grants: [{roles: [requester], clusters: {labels: {region: eu}}, fleets: [prod-eu]}]
`;

describe('an access policy', () => {
  it('is read with what was left out', () => {
    expect(readAccessPolicy(policy(ONE))).toEqual({
      kind: 'valid',
      policy: {
        ...{
          name: 'access',
          version: 3,
          handoverApproval: 'asPolicy',
          handoverQuorum: 1,
          workers: [],
          logs: [],
        },
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        longestValiditySeconds: { run: 86_400, fleet: 840 * 3600 },
        principals: [
          {
            name: 'ana@example.com',
            keys: [
              { keyId: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), spki: KEY, revoked: false },
            ],
            grants: [
              {
                roles: ['requester'],
                clusters: { labels: { region: 'eu' } },
                fleets: ['prod-eu'],
              },
            ],
          },
        ],
      },
    });
  });

  const second = (name: string, key: string): string =>
    `${ONE}    - {name: ${name}, keys: [{ed25519: ${key}}], grants: [{roles: [operator]}]}\n`;

  it('has a key for each principal', () => {
    expect(readAccessPolicy(policy(second('ben', OTHER))).kind).toBe('valid');
  });

  const worker = (name: string, key: string): string =>
    `${ONE}  workers:\n    - {name: ${name}, keys: [{ed25519: ${key}}]}\n`;

  it('names workers, which ask for nothing', () => {
    expect(readAccessPolicy(policy(worker('eu', OTHER)))).toMatchObject({
      policy: { workers: [{ name: 'eu', keys: [{ spki: OTHER, revoked: false }] }] },
    });
    const grants = worker('eu', OTHER).replace('}]}\n', '}], grants: [{roles: [operator]}]}\n');
    expect(readAccessPolicy(policy(grants)).kind).toBe('invalid');
  });

  it('that has a key as ssh writes it is told the line to write', () => {
    const blob = 'AAAAC3NzaC1lZDI1NTE5AAAAIHScVmevyQeNMlHE5xRaUp7DlpSz+dcitMoDd4CHe4rZ';
    const read = readAccessPolicy(policy(ONE.replace(KEY, `ssh-ed25519 ${blob} ana@laptop`)));
    expect(read.kind === 'invalid' ? read.problems.join() : '').toContain(
      'write MCowBQYDK2VwAyEAdJxWZ6/JB40yUcTnFFpSnsOWlLP51yK0ygN3gId7itk=',
    );
    const fido = `sk-ssh-ed25519@openssh.com ${FIDO_BLOB} ana@laptop`;
    const other = readAccessPolicy(policy(ONE.replace(KEY, fido)));
    expect(other.kind === 'invalid' ? other.problems.join() : '').toContain(
      `write ${KEY} and beside it fido: { application: "ssh:" }`,
    );
  });

  it('says how many people must approve a handover', () => {
    const two = `${ONE}    - {name: ben, keys: [{ed25519: ${OTHER}}], grants: [{roles: [approver]}]}\n`;
    const asking = (count: number, principals: string): string =>
      policy(principals).replace('spec:\n', `spec:\n  handoverQuorum: ${String(count)}\n`);
    expect(readAccessPolicy(asking(1, two))).toMatchObject({ policy: { handoverQuorum: 1 } });
    const read = readAccessPolicy(asking(2, two));
    expect(read.kind === 'invalid' ? read.problems : []).toEqual([
      'spec.handoverQuorum: 2 people must approve a handover, and 1 may (role approver)',
    ]);
    const both = two.replace('[requester', '[approver, requester');
    expect(readAccessPolicy(asking(2, both))).toMatchObject({ policy: { handoverQuorum: 2 } });
    for (const count of [0, 9, 1.5]) {
      expect(readAccessPolicy(asking(count, both)).kind).toBe('invalid');
    }
  });

  const withFido = (fido: string): string =>
    policy(ONE.replace(`${KEY}}`, `${KEY}, fido: ${fido}}`));

  it('says which keys are FIDO keys', () => {
    const touched = { principals: [{ keys: [{ fido: { application: 'ssh:', pin: false } }] }] };
    expect(readAccessPolicy(withFido('{application: "ssh:"}'))).toMatchObject({ policy: touched });
    const pin = { principals: [{ keys: [{ fido: { application: 'ssh:eu', pin: true } }] }] };
    expect(readAccessPolicy(withFido('{application: "ssh:eu", pin: true}'))).toMatchObject({
      policy: pin,
    });
    const ofWorker = worker('eu', OTHER).replace('}]}\n', ', fido: {application: "ssh:"}}]}\n');
    for (const text of [withFido('{}'), withFido('{application: "https://a"}'), policy(ofWorker)]) {
      expect(readAccessPolicy(text).kind).toBe('invalid');
    }
  });

  it.each<[string, string, string]>([
    ['nothing', '', 'one document'],
    ['two documents', `${policy(ONE)}---\n${policy(ONE)}`, 'one document'],
    ['no YAML', '{', 'not YAML'],
    ['a billion laughs', 'a: &a [x]\nb: [*a]\n', ''],
    ['a key of another kind', policy(ONE.replace(KEY, 'c3NoLXJzYQ==')), 'access init'],
    ['a role that no one knows', policy(ONE.replace('requester', 'admin')), 'roles'],
    ['a misspelled member', policy(ONE.replace('keys', 'key')), 'key'],
    ['no version', policy(ONE.replace('version: 3', 'version: 0')), 'version'],
    ['one name twice', policy(second('Ana@example.com', OTHER)), 'one name is given twice'],
    ['one key twice', policy(second('ben', KEY)), 'one key is given twice'],
    ['the key of a person for a worker', policy(worker('eu', KEY)), 'one key is given twice'],
    ['the name of a person for a worker', policy(worker('ana@example.com', OTHER)), 'given twice'],
  ])('is refused as a whole with %s', (_, text, problem) => {
    const read = readAccessPolicy(text);
    expect(read).toMatchObject({ kind: 'invalid' });
    expect(read.kind === 'invalid' ? read.problems.join('; ') : '').toContain(problem);
  });
});
