import { X509Certificate, createPrivateKey } from 'node:crypto';
import type { z } from 'zod';
import { parseYamlDocuments } from '../../../domain/yaml/parsed-documents.js';
import { failure } from '../../failures.js';
import {
  ClusterEntry,
  ContextEntry,
  KubeconfigOutline,
  REFUSED,
  UserEntry,
} from './kubeconfig-schema.js';
import type { ExecPlugin } from './exec-plugin.js';
import { pluginOf } from './exec-plugin.js';
import { isLinkLocal } from './link-local.js';
import { Secret } from './secret.js';

/** How we authenticate to the API server. A token file is re-read, because bound tokens rotate. */
export type Credential =
  | { readonly kind: 'token'; readonly token: Secret }
  | { readonly kind: 'tokenFile'; readonly path: string }
  | { readonly kind: 'exec'; readonly plugin: ExecPlugin }
  | { readonly kind: 'clientCertificate'; readonly certificate: string; readonly key: Secret };

/** Everything needed to reach one cluster, and nothing else from its kubeconfig. */
export interface ClusterAddress {
  /** Base address, https, without trailing slash. */
  readonly server: string;
  /** PEM: the only authorities that are trusted for this cluster. */
  readonly ca: string;
  readonly tlsServerName: string | null;
  readonly credential: Credential;
}

export interface KubeconfigOptions {
  /** Names the file in errors. */
  readonly source: string;
  readonly context?: string;
  readonly allowFileReferences: boolean;
  /** Whether a credential plugin may be named; it is not started here. */
  readonly allowExec: boolean;
  /** Reads a file named by the kubeconfig, relative to its folder; only called when file references are allowed. */
  readonly readReference: (path: string) => Promise<string>;
}

/** Characters; a kubeconfig of 200 clusters has about 1.2 million. */
const MAX_LENGTH = 2 * 1024 * 1024;

/**
 * Reads a kubeconfig as foreign input: strict YAML without aliases, one context, an allowlist of members.
 * Proxies, impersonation, unverified TLS and (unless allowed) credential plugins and file references are `InvalidInput`.
 */
export async function parseKubeconfig(
  text: string,
  options: KubeconfigOptions,
): Promise<ClusterAddress> {
  const { source } = options;
  const { cluster, user } = selectEntries(parseOutline(text, source), options);
  const clusterEntry = strictEntry(ClusterEntry, cluster.value, source, cluster.where);
  const allowed = options.allowExec ? ['exec'] : [];
  const userEntry = strictEntry(UserEntry, user.value, source, user.where, allowed);
  return {
    server: checkedServer(clusterEntry.server, source),
    ca: await caOf(clusterEntry, options),
    tlsServerName: clusterEntry['tls-server-name'] ?? null,
    credential: await credentialOf(userEntry, clusterEntry, user.where, options),
  };
}

/** The catalogue code of a fault; it becomes the reason of the failure. */
export type KubeconfigFault =
  | 'KubeconfigInvalid'
  | 'KubeconfigRuns'
  | 'KubeconfigFiles'
  | 'KubeconfigUntrusted'
  | 'KubeconfigUnauthenticated';

function refuse(
  source: string,
  what: string,
  reason: KubeconfigFault = 'KubeconfigInvalid',
): Error {
  return failure('InvalidInput', `kubeconfig ${source}: ${what}`, { details: { reason } });
}

function parseOutline(text: string, source: string): KubeconfigOutline {
  if (text.length > MAX_LENGTH) {
    throw refuse(
      source,
      `longer than ${String(MAX_LENGTH)} characters: use a separate file for each cluster`,
    );
  }
  const { documents, problems } = parseYamlDocuments(text);
  const [problem] = problems;
  if (problem !== undefined) {
    throw refuse(source, `line ${String(problem.line)}: ${problem.message}`);
  }
  const [document, second] = documents;
  if (document === undefined || second !== undefined) {
    throw refuse(source, 'must be exactly one YAML document');
  }
  return checked(KubeconfigOutline, document.value, source, 'file');
}

interface Entry {
  readonly where: string;
  readonly value: unknown;
}

function selectEntries(
  outline: KubeconfigOutline,
  { source, context }: KubeconfigOptions,
): { cluster: Entry; user: Entry } {
  const name = context ?? outline['current-context'] ?? '';
  if (name === '') throw refuse(source, 'no current-context: name a context in the inventory');
  const found = onlyOne(outline.contexts, name, 'context', source);
  const chosen = checked(ContextEntry, found.context, source, `context ${name}`);
  return {
    cluster: {
      where: `cluster ${chosen.cluster}`,
      value: onlyOne(outline.clusters, chosen.cluster, 'cluster', source).cluster,
    },
    user: {
      where: `user ${chosen.user}`,
      value: onlyOne(outline.users, chosen.user, 'user', source).user,
    },
  };
}

function onlyOne<T extends { readonly name: string }>(
  entries: readonly T[],
  name: string,
  what: string,
  source: string,
): T {
  const [entry, ...more] = entries.filter((candidate) => candidate.name === name);
  if (entry === undefined) {
    const names = entries.map((candidate) => candidate.name).join(', ');
    throw refuse(
      source,
      `there is no ${what} ${name} (there is: ${names === '' ? 'none' : names})`,
    );
  }
  if (more.length > 0) throw refuse(source, `${what} ${name} is defined twice`);
  return entry;
}

/** zod's messages name members and types, never values. */
function checked<T>(schema: z.ZodType<T>, value: unknown, source: string, where: string): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const path = issue?.path.join('.') ?? '';
  throw refuse(source, `${where}${path === '' ? '' : `, ${path}`}: ${issue?.message ?? 'invalid'}`);
}

function strictEntry<T>(
  schema: z.ZodType<T>,
  value: unknown,
  source: string,
  where: string,
  allowed: readonly string[] = [],
): T {
  const members: [string, unknown][] =
    typeof value === 'object' && value !== null ? Object.entries(value) : [];
  for (const [member, given] of members) {
    const reason = REFUSED[member];
    if (reason !== undefined && given !== false && !allowed.includes(member)) {
      throw refuse(source, `${where}: ${member} is refused: ${reason}`, FAULTS[member]);
    }
  }
  return checked(schema, value, source, where);
}

const FAULTS: Readonly<Record<string, KubeconfigFault>> = {
  exec: 'KubeconfigRuns',
  'auth-provider': 'KubeconfigRuns',
  'insecure-skip-tls-verify': 'KubeconfigUntrusted',
  username: 'KubeconfigUnauthenticated',
  password: 'KubeconfigUnauthenticated',
};

function checkedServer(server: string, source: string): string {
  const url = URL.canParse(server) ? new URL(server) : null;
  if (url?.protocol !== 'https:') throw refuse(source, 'server must be an https address');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw refuse(source, 'server must be an address without user, query or fragment');
  }
  if (isLinkLocal(url.hostname)) {
    throw refuse(
      source,
      'server is a link-local address: that is a metadata service, not an API server',
    );
  }
  return url.href.replace(/\/+$/, '');
}

async function caOf(entry: ClusterEntry, options: KubeconfigOptions): Promise<string> {
  const { source } = options;
  const pem = await inlineOrFile(entry, 'certificate-authority', 'cluster', options);
  if (pem === null) {
    const what = 'certificate-authority-data is missing, and no other is trusted';
    throw refuse(source, what, 'KubeconfigUntrusted');
  }
  parsedBy(() => new X509Certificate(pem), source, 'certificate-authority');
  return pem;
}

async function credentialOf(
  entry: UserEntry,
  cluster: ClusterEntry,
  where: string,
  options: KubeconfigOptions,
): Promise<Credential> {
  const { source } = options;
  const { token, tokenFile, exec } = entry;
  const certificate = await inlineOrFile(entry, 'client-certificate', where, options);
  const key = await inlineOrFile(entry, 'client-key', where, options);
  const kinds = [token, tokenFile, exec, certificate ?? key ?? undefined];
  if (kinds.filter((kind) => kind !== undefined).length !== 1) {
    const what = `${where}: needs exactly one of token, client certificate and plugin`;
    throw refuse(source, what, 'KubeconfigUnauthenticated');
  }
  if (exec !== undefined) return { kind: 'exec', plugin: pluginOf(exec, cluster) };
  if (token !== undefined) return { kind: 'token', token: new Secret(token.trim()) };
  if (tokenFile !== undefined) {
    requireFileReferences('tokenFile', 'token', where, options);
    return { kind: 'tokenFile', path: tokenFile };
  }
  if (certificate === null || key === null) {
    const what = `${where}: a client certificate needs its key, and vice versa`;
    throw refuse(source, what, 'KubeconfigUnauthenticated');
  }
  parsedBy(() => new X509Certificate(certificate), source, 'client-certificate');
  parsedBy(() => createPrivateKey(key), source, 'client-key');
  return { kind: 'clientCertificate', certificate, key: new Secret(key) };
}

type FileMember = 'certificate-authority' | 'client-certificate' | 'client-key';

/** The inline form wins, as in client-go. */
async function inlineOrFile(
  entry: Readonly<Partial<Record<FileMember | `${FileMember}-data`, unknown>>>,
  member: FileMember,
  where: string,
  options: KubeconfigOptions,
): Promise<string | null> {
  const data = entry[`${member}-data`];
  if (typeof data === 'string') return Buffer.from(data, 'base64').toString('utf8');
  const path = entry[member];
  if (typeof path !== 'string') return null;
  requireFileReferences(member, `${member}-data`, where, options);
  return options.readReference(path);
}

function requireFileReferences(
  member: string,
  instead: string,
  where: string,
  { source, allowFileReferences }: KubeconfigOptions,
): void {
  if (allowFileReferences) return;
  throw refuse(
    source,
    `${where}: ${member} names a file of this machine. Put it inline (${instead}), or set allow.fileReferences for this cluster`,
    'KubeconfigFiles',
  );
}

function parsedBy(parse: () => unknown, source: string, member: string): void {
  try {
    parse();
  } catch {
    // The parser's own message may quote what it could not read.
    throw refuse(source, `${member} is not valid PEM`);
  }
}
