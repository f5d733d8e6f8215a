import { createHash, createHmac } from 'node:crypto';

/** The parts of a known_hosts line that can pin a key. */
interface KnownHost {
  readonly revoked: boolean;
  /** Plain names and addresses, or one hashed name. */
  readonly names: readonly string[];
  readonly blob: Buffer;
}

/**
 * Reads a known_hosts file (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT). Patterns and certificate authorities pin no key, so such
 * lines are ignored: their hosts stay unknown, and unknown hosts are refused.
 */
export function parseKnownHosts(text: string): readonly KnownHost[] {
  return text.split('\n').flatMap(knownHost);
}

function knownHost(line: string): readonly KnownHost[] {
  const match = /^(?:(@\S+)\s+)?([^#@\s]\S*)\s+(\S+)\s+(\S+)/.exec(line.trim());
  if (match === null) return [];
  const [, marker, names = '', type, base64 = ''] = match;
  const blob = Buffer.from(base64, 'base64');
  const revoked = marker === '@revoked';
  if ((marker !== undefined && !revoked) || keyTypeOf(blob) !== type) return [];
  return [{ revoked, names: names.split(','), blob }];
}

interface HostNames {
  /** The one name that pins a key. */
  readonly alias: string;
  /** Names under which a key can only be revoked. */
  readonly others: readonly string[];
}

/** Keys of a host: accepted under its alias alone, revoked under any of its names. */
function keysOfHost(
  hosts: readonly KnownHost[],
  { alias, others }: HostNames,
): { readonly accepted: readonly Buffer[]; readonly revoked: readonly Buffer[] } {
  const isMeant = (host: KnownHost, names: readonly string[]): boolean =>
    host.names.some((known) => names.some((name) => sameHost(known, name)));
  const revokes = (host: KnownHost): boolean =>
    host.names.includes('*') || isMeant(host, [alias, ...others]);
  return {
    accepted: hosts
      .filter((host) => !host.revoked && isMeant(host, [alias]))
      .map(({ blob }) => blob),
    revoked: hosts.filter((host) => host.revoked && revokes(host)).map(({ blob }) => blob),
  };
}

/**
 * The name of a node, unique across clusters, for OpenSSH's `HostKeyAlias` (ssh_config(5)): no port, and an "@", which a
 * cluster name cannot contain, so that no Node name can produce the alias of another cluster's node.
 */
export function aliasOf(node: string, cluster: string): string {
  return `${node}@${cluster}`;
}

/** As a known_hosts file names it: the port only where it is not 22. */
export function knownName(host: string, port: number): string {
  return port === 22 ? host : `[${host}]:${String(port)}`;
}

function sameHost(known: string, name: string): boolean {
  const [, salt, digest] = /^\|1\|([^|]+)\|([^|]+)$/.exec(known) ?? [];
  if (salt === undefined) return known.toLowerCase() === name.toLowerCase();
  // HashKnownHosts: HMAC-SHA1 of the name under the salt.
  const hashed = createHmac('sha1', Buffer.from(salt, 'base64')).update(name.toLowerCase());
  return hashed.digest('base64') === digest;
}

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

/** Fingerprint of a public key's wire form, as OpenSSH prints it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

/** The algorithm name that a public key's wire form begins with (RFC 4253, 6.6); '' when it begins with none. */
export function keyTypeOf(blob: Buffer): string {
  if (blob.length < 4) return '';
  const length = blob.readUInt32BE(0);
  return length > 64 ? '' : blob.subarray(4, 4 + length).toString('latin1');
}
