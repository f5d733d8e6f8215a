import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  aliasOf,
  fingerprintOf,
  knownName,
  parseKnownHosts,
  pinsOfInventory,
  pinsOfKnownHosts,
} from '../../../../activities/adapters/ssh/known-hosts.js';

function blob(type: string, rest: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(type.length);
  return Buffer.concat([length, Buffer.from(type + rest)]);
}

const OURS = blob('ssh-ed25519', 'ours');
const THEIRS = blob('ssh-rsa', 'theirs');
const line = (names: string, key: Buffer, type = 'ssh-ed25519'): string =>
  `${names} ${type} ${key.toString('base64')} a comment`;

function pins(text: string, alias: string, ...others: string[]): readonly string[] {
  const known = parseKnownHosts(text);
  return [...pinsOfKnownHosts(known, { alias, others }, 'known_hosts').fingerprints];
}

describe('a known_hosts file', () => {
  it('a known_hosts file pins the keys of a node of a cluster, among other names', () => {
    const text = `# comment\n\n${line('cp-1@one,10.0.0.1', OURS)}\n${line('cp-1@two', THEIRS, 'ssh-rsa')}`;
    expect(pins(text, aliasOf('cp-1', 'one'))).toEqual([fingerprintOf(OURS)]);
    expect(pins(text, aliasOf('CP-1', 'two'))).toEqual([fingerprintOf(THEIRS)]);
    expect(pins(text, aliasOf('cp-2', 'one'))).toEqual([]);
  });

  it('a known_hosts file pins nothing by an address or a name that clusters share', () => {
    const text = [line('cp-1,10.0.0.1', OURS), line('[10.0.0.1]:2222', OURS)].join('\n');
    const others = ['10.0.0.1', 'cp-1', knownName('10.0.0.1', 2222)];
    expect(pins(text, aliasOf('cp-1', 'one'), ...others)).toEqual([]);
  });

  it('a name of a node never equals the alias of another cluster’s node', () => {
    // Names of Nodes and of clusters may have dots, so a dot between them would be ambiguous.
    expect(aliasOf('x.b', 'c')).not.toBe(aliasOf('x', 'b.c'));
  });

  it('a key that is revoked by the address is never accepted', () => {
    const text = `${line('cp-1@one', OURS)}\n@revoked ${line('10.0.0.1', OURS)}`;
    expect(pins(text, 'cp-1@one', '10.0.0.1')).toEqual([]);
  });

  it('a known_hosts file may hash its names', () => {
    const salt = Buffer.from('salt');
    const hash = createHmac('sha1', salt).update('cp-1').digest('base64');
    const text = line(`|1|${salt.toString('base64')}|${hash}`, OURS);
    expect(pins(text, 'cp-1')).toEqual([fingerprintOf(OURS)]);
    expect(pins(text, 'cp-2')).toEqual([]);
  });

  it.each([
    ['a pattern', line('*', OURS)],
    ['a pattern of names', line('cp-*', OURS)],
    ['a certificate authority', `@cert-authority ${line('cp-1', OURS)}`],
    ['an unknown marker', `@whatever ${line('cp-1', OURS)}`],
    ['a key of another type than it says', line('cp-1', OURS, 'ssh-rsa')],
    ['a comment', `# ${line('cp-1', OURS)}`],
    ['half a line', 'cp-1 ssh-ed25519'],
  ])('a known_hosts file pins nothing by %s', (_case, text) => {
    expect(pins(text, 'cp-1')).toEqual([]);
  });

  it.each(['cp-1', '*'])('a key that is revoked for %s is never accepted', (names) => {
    const text = `${line('cp-1', OURS)}\n@revoked ${line(names, OURS)}`;
    expect(pins(text, 'cp-1')).toEqual([]);
  });
});

describe('keys of the inventory', () => {
  it('keys of the inventory are fingerprints or public keys; types are known only where all keys are', () => {
    const publicKey = `ssh-ed25519 ${OURS.toString('base64')} root@cp-1`;
    const fingerprint = fingerprintOf(THEIRS);
    const both = pinsOfInventory([publicKey, fingerprint], 'here');
    expect([...both.fingerprints]).toEqual([fingerprintOf(OURS), fingerprint]);
    expect(both.types).toBeNull();
    expect(pinsOfInventory([publicKey], 'here').types).toEqual(['ssh-ed25519']);
  });
});
