import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { failure } from '../../failures.js';
import { isPlainPath } from '../../node-paths.js';
import type { ClusterIdentity } from '../kubernetes/cluster-identity.js';

/** One function of the remote program with its arguments. */
export type RemoteCall = readonly [name: RemoteFunction, ...words: string[]];

type RemoteFunction =
  | 'look_host'
  | 'read_file'
  | 'list_folder'
  | 'write_file'
  | 'remove_file'
  | 'end_process'
  | 'look_unit'
  | 'restart_kubelet';

export interface RemoteRequest {
  /** For any login shell: it contains no part of the request. */
  readonly command: string;
  /** The program and its arguments, which that command reads from its standard input. */
  readonly input: Buffer;
  /** Marks the first and last line of the answer, so that a login script's output is not part of it. */
  readonly token: string;
  /** The cluster that the node must belong to; otherwise the node refuses before the first call. */
  readonly identity: ClusterIdentity;
}

/**
 * The program that a node runs: the shell files beside this module, joined. Read when this module is loaded: an
 * installation without one of them must not start, rather than send a node half a program.
 */
const PROGRAM = ['common', 'read', 'write', 'identity', 'processes', 'kubelet']
  .map((piece) => readFileSync(new URL(`./remote-${piece}.sh`, import.meta.url), 'utf8'))
  .join('\n');

/**
 * One remote command. The whole text is a single compound command, so a shell that receives only a part of it (the connection
 * broke while sending) finds a syntax error and does nothing.
 */
export function remoteRequest(
  sudo: boolean,
  identity: ClusterIdentity,
  calls: readonly RemoteCall[],
): RemoteRequest {
  const token = randomBytes(12).toString('hex');
  const owner = ['belongs_to', identity.uid, identity.authorities.join(' ')] as const;
  const lines = [owner, ...calls].map(([name, ...words]) =>
    [name, ...words.map(quotedWord)].join(' '),
  );
  const input = Buffer.from(`{\ntoken=${token}\n${PROGRAM}begin\n${lines.join('\n')}\nfinish\n}\n`);
  const shell = `/bin/sh -c 'eval "$(head -c ${String(input.length)})"'`;
  return { command: sudo ? `sudo -n -- ${shell}` : shell, input, token, identity };
}

/** A quoted POSIX shell word for exactly this text. */
function quotedWord(text: string): string {
  if (text.includes('\0')) throw failure('InvalidInput', 'a text for a node holds a NUL');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A normalised absolute path, as servers of the HTTP contract require. */
export function plainPath(path: string): string {
  if (isPlainPath(path)) return path;
  throw failure('InvalidInput', `path ${JSON.stringify(path)} is not absolute and normalised`);
}

/** An epoch or a process id, as the remote program compares it. */
export function wholeNumber(value: number, what: string): string {
  if (Number.isSafeInteger(value) && value >= 0) return String(value);
  throw failure('InvalidInput', `${what} ${String(value)} is not a whole number`);
}
