import type { FailureType } from '../../../domain/failures.js';
import { oneLine } from '../../../domain/findings/plain-text.js';
import { failure } from '../../failures.js';
import { nativeDigest } from '../../native-digest.js';
import type { NodeFile } from '../../ports.js';
import type { ClusterIdentity } from '../kubernetes/cluster-identity.js';
import type { RemoteRequest } from './remote-request.js';

/** The output of one remote command, until its channel closed. */
export interface CommandOutput {
  readonly stdout: Buffer;
  /** The beginning of it, for people. */
  readonly stderr: string;
  /** Null when the channel closed without one: the connection was lost. */
  readonly exitCode: number | null;
}

interface Refusal {
  readonly type: FailureType;
  readonly say: (told: string) => string;
}

const MAKE_ROOM = 'Make room on that file system of the node, then retry';

/** The node's texts for ENOSPC and EDQUOT; the program sets the C locale, so they are in English. */
function isFull(told: string): boolean {
  return told.includes('No space left on device') || told.includes('Disk quota exceeded');
}

/** Kinds of the remote program's refusals. All but `unreadable`, `garbled` and `unsure` are proof that nothing was changed. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  root: {
    type: 'Forbidden',
    say: (user) =>
      `the remote user ${user} is not root and could not see every process: set nodeAccess.sudo, or log in as root`,
  },
  tool: {
    type: 'NotSupported',
    say: (tool) => `the node has no \`${tool}\`: install coreutils and util-linux there`,
  },
  special: { type: 'NotSupported', say: (told) => `${told}, and only plain files are touched` },
  large: { type: 'NotSupported', say: (path) => `${path} is too large (1 MiB, 1000 files)` },
  busy: { type: 'Throttled', say: (lock) => `another command holds ${lock} of the node` },
  epoch: {
    type: 'PreconditionFailed',
    say: (told) => `${told}: make sure that no other run works on this node, then remove that file`,
  },
  unwritable: {
    type: 'PreconditionFailed',
    say: (told) => `nothing was changed: ${told}${isFull(told) ? `. ${MAKE_ROOM}` : ''}`,
  },
  unreadable: { type: 'Unavailable', say: (told) => `it cannot be read: ${told}` },
  service: {
    type: 'NotSupported',
    say: (told) =>
      `the node has no service manager that we know (systemd): ${told}. Restart its kubelet by your own means`,
  },
  unit: {
    type: 'NotSupported',
    say: (told) =>
      `kubelet.service is not a unit as kubeadm makes it: ${told}. Restart the kubelet by your own means`,
  },
  awake: {
    type: 'PreconditionFailed',
    say: (told) => `only a manager that a signal has stopped is ended: ${told}`,
  },
  traced: {
    type: 'NotSupported',
    say: (pid) => `a tracer holds process ${pid} (a debugger, strace): detach it there`,
  },
  garbled: {
    type: 'Unavailable',
    say: (path) => `the content for ${path} did not arrive completely`,
  },
  unsure: { type: 'Unavailable', say: (told) => `observe before continuing: ${told}` },
};

/**
 * The lines between the first and the last one of an answer. A refusal becomes its failure; an answer without its end is
 * `Unavailable`: whether a change took effect is unknown.
 */
export function answerLines(
  what: string,
  { token, identity }: RemoteRequest,
  { stdout, stderr, exitCode }: CommandOutput,
): readonly string[] {
  if (isTooManyLines(stdout)) throw brokenAnswer(what);
  const lines = stdout.toString('latin1').split('\n');
  const first = lines.indexOf(`begin ${token}`);
  const last = lines.indexOf(`end ${token}`);
  if (first < 0 && exitCode !== null) throw notStarted(what, exitCode, stderr);
  if (first < 0 || last < first) {
    throw failure('Unavailable', `${what}: the connection was lost before the whole answer came`, {
      details: { reason: 'LostAnswer' },
    });
  }
  const answer = lines.slice(first + 1, last);
  for (const line of answer) throwIfRefused(what, line, identity);
  return answer;
}

/** A request covers at most a few hundred files, processes and listeners of a node. */
const MOST_LINES = 10_000;
const LINE_END = 0x0a;

function isTooManyLines(stdout: Buffer): boolean {
  let lines = 0;
  for (let at = stdout.indexOf(LINE_END); at >= 0; at = stdout.indexOf(LINE_END, at + 1)) {
    lines += 1;
    if (lines > MOST_LINES) return true;
  }
  return false;
}

/** Text that the remote program sent in base64. */
export function sentText(base64: string): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

/** A malformed line of an answer. */
export function brokenAnswer(what: string): Error {
  return failure('Unavailable', `${what}: the node's answer is not as expected`);
}

function throwIfRefused(what: string, line: string, identity: ClusterIdentity): void {
  if (!/^(?:stale|edited|refused) /.test(line)) return;
  const [word, kind = '', told = ''] = line.split(' ', 3);
  if (word === 'stale') {
    throw failure('FenceLost', `${what}: the node has seen epoch ${kind}, which is newer`, {
      details: { reason: 'StaleEpoch' },
    });
  }
  if (word === 'edited') {
    throw failure('ForeignEdit', `${what}: another content is there: ${kind}`, {
      details: { reason: 'Conflict' },
    });
  }
  if (kind === 'authority' || kind === 'cluster') {
    throw foreignNode(what, kind, printable(sentText(told)), identity);
  }
  const refusal = REFUSALS[kind];
  if (refusal === undefined) throw brokenAnswer(what);
  throw failure(refusal.type, `${what}: ${refusal.say(printable(sentText(told)))}`, {
    details: { reason: kind === 'root' ? 'CommandRefused' : kind },
  });
}

/** A node that belongs to another cluster, or did. It answered nothing else and was not changed. */
function foreignNode(
  what: string,
  kind: 'authority' | 'cluster',
  told: string,
  { name, uid, authorities }: ClusterIdentity,
): Error {
  const says =
    kind === 'authority'
      ? `its cluster's authority (/etc/kubernetes/pki/ca.crt) is ${told === '' ? 'not to be read' : told}, and not ${authorities.join(' or ')}. If it is this cluster's node and the kubeconfig trusts another authority, for example a load balancer's, set the cluster's own as certificateAuthorities in the inventory`
      : `an earlier run left there (/var/lib/ccm-migrate/cluster) that it is a node of ${told === '' ? 'no cluster' : told}, and not of ${uid} with ${authorities.join(' or ')}. If it was moved here (kubeadm reset), or the cluster has a new authority, make sure that no run works on it and remove /var/lib/ccm-migrate there`;
  return failure(
    'ForeignNode',
    `${what}: the node does not belong to cluster ${name}, so nothing was read or changed: ${says}. Or another cluster's machine answers at this address; ccm-migrate explain CCM4030`,
    { details: { reason: 'ForeignCluster' } },
  );
}

/**
 * The program never started, so nothing was changed: sudo, a login shell or a forced command refused it. One that ended well without
 * a beginning may have run: then its effect is unknown.
 */
function notStarted(what: string, exitCode: number, stderr: string): Error {
  const said = printable(stderr);
  if (exitCode === 0) {
    const why = `the node's answer has no beginning${said === '' ? '' : ` (${said})`}`;
    return failure(
      'Unavailable',
      `${what}: ${why}. The user needs a shell that runs commands, and nothing may change their output (docs/node-access-ssh.md)`,
      { details: { reason: 'LostAnswer' } },
    );
  }
  return failure(
    'Forbidden',
    `${what}: the node ran no command (exit ${String(exitCode)}${said === '' ? '' : `, ${said}`}). The user needs a shell, and with nodeAccess.sudo a passwordless sudo rule (docs/node-access-ssh.md)`,
    { details: { reason: 'CommandRefused' } },
  );
}

/** One line without control characters, short enough for an error. */
function printable(text: string): string {
  return oneLine(text.slice(0, 1200)).trim().slice(0, 300);
}

/** Maximum fields of a line; more means a line that is not ours. */
const MOST_FIELDS = 8;

/** Files and folders of one answer; null for a file that is absent. */
export interface SeenFiles {
  readonly files: ReadonlyMap<string, NodeFile | null>;
  readonly folders: ReadonlyMap<string, readonly { name: string; hash: string }[]>;
}

/** Everything that an answer says about files. A path missing from it was not inspected: see `mustHave`. */
export function seenFiles(what: string, lines: readonly string[]): SeenFiles {
  const files = new Map<string, NodeFile | null>();
  const folders = new Map<string, readonly { name: string; hash: string }[]>();
  for (const line of lines) {
    const [word, path = '', ...rest] = line.split(' ', MOST_FIELDS);
    if (word === 'absent') files.set(sentText(path), null);
    else if (word === 'file') files.set(sentText(path), nodeFile(what, sentText(path), rest));
    else if (word === 'folder') folders.set(sentText(path), items(what, sentText(path), rest));
  }
  return { files, folders };
}

/** The requested path; an answer that omits it is never taken for an absent file. */
export function mustHave<T>(what: string, seen: ReadonlyMap<string, T>, path: string): T {
  const found = seen.get(path);
  if (found === undefined) throw brokenAnswer(what);
  return found;
}

function nodeFile(
  what: string,
  path: string,
  [size = '', mode = '', changed = '', base64 = '']: readonly string[],
): NodeFile {
  const bytes = Buffer.from(base64, 'base64');
  const isWhole = String(bytes.length) === size && /^\d+\.\d{3}$/.test(changed);
  if (!/^\d{4,5}$/.test(mode) || !isWhole) throw brokenAnswer(what);
  const content = utf8(what, path, bytes);
  const changedAtMs = Math.round(Number(changed) * 1000);
  return { path, content, hash: nativeDigest(content), mode, changedAtMs };
}

function utf8(what: string, path: string, bytes: Buffer): string {
  try {
    // Keeps the byte order mark, or the hash would differ from the file's.
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw failure('NotSupported', `${what}: ${path} is not UTF-8 text`);
  }
}

/** Output of `sha256sum --zero`: digest, two characters, path. */
function items(
  what: string,
  folder: string,
  [count = '', base64 = '']: readonly string[],
): readonly { name: string; hash: string }[] {
  const records = sentText(base64).split('\0').slice(0, -1);
  if (String(records.length) !== count) {
    throw failure('Unavailable', `${what}: ${folder} changed while it was read`);
  }
  const prefix = folder === '/' ? '//' : `${folder}/`;
  return records.map((record) => {
    const [, digest, path] = /^([0-9a-f]{64}) [ *]([\s\S]+)$/.exec(record) ?? [];
    if (digest === undefined || path?.startsWith(prefix) !== true) throw brokenAnswer(what);
    return { name: path.slice(prefix.length), hash: `sha256:${digest}` };
  });
}
