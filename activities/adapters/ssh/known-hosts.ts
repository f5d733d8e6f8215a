import { createHmac } from 'node:crypto';
import { keyTypeOf } from './key-blob.js';

/** The parts of a known_hosts line that can pin a key. */
export interface KnownHost {
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

export interface HostNames {
  /** The one name that pins a key. */
  readonly alias: string;
  /** Names under which a key can only be revoked. */
  readonly others: readonly string[];
}

/** Keys of a host: accepted under its alias alone, revoked under any of its names. */
export function keysOfHost(
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
