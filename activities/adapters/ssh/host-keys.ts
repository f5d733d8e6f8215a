import { fingerprintOf, keyTypeOf } from './key-blob.js';
import type { HostNames, KnownHost } from './known-hosts.js';
import { keysOfHost } from './known-hosts.js';

/** The keys one node may present: fingerprints, or whole keys where they are known. */
export interface HostPins {
  /** As `ssh-keygen -l` prints them: `SHA256:…`. */
  readonly fingerprints: ReadonlySet<string>;
  /** Types of the pinned keys where all are known, so that the server presents one of these; else null. */
  readonly types: readonly string[] | null;
  /** Their source, for errors. */
  readonly source: string;
}

const FINGERPRINT = /^SHA256:[A-Za-z0-9+/]{43}$/;

/** Keys of an inventory entry: `SHA256:…`, or a public key as in `ssh_host_ed25519_key.pub`. */
export function pinsOfInventory(keys: readonly string[], source: string): HostPins {
  const blobs = keys.flatMap((key) => (FINGERPRINT.test(key) ? [] : [blobOf(key)]));
  const fingerprints = keys.map((key) =>
    FINGERPRINT.test(key) ? key : fingerprintOf(blobOf(key)),
  );
  const types = blobs.length === keys.length ? blobs.map(keyTypeOf) : null;
  return { fingerprints: new Set(fingerprints), types, source };
}

/** Keys that a known_hosts file has for this alias; a key that is revoked for any of the names is never accepted. */
export function pinsOfKnownHosts(
  hosts: readonly KnownHost[],
  names: HostNames,
  source: string,
): HostPins {
  const { accepted, revoked } = keysOfHost(hosts, names);
  const bad = new Set(revoked.map(fingerprintOf));
  const good = accepted.filter((blob) => !bad.has(fingerprintOf(blob)));
  return {
    fingerprints: new Set(good.map(fingerprintOf)),
    types: good.map(keyTypeOf),
    source,
  };
}

function blobOf(publicKey: string): Buffer {
  return Buffer.from(publicKey.split(/\s+/)[1] ?? '', 'base64');
}
