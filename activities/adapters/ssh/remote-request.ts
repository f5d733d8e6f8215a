import { randomBytes } from 'node:crypto';
import { posix } from 'node:path';
import { failure } from '../../failures.js';
import type { ClusterIdentity } from '../cluster-identity.js';
import { COMMON_PROGRAM, FILES_PROGRAM } from './remote-files-program.js';
import { IDENTITY_PROGRAM } from './remote-identity-program.js';
import { KUBELET_PROGRAM } from './remote-kubelet-program.js';
import { PROCESSES_PROGRAM } from './remote-processes-program.js';

/** One function of the remote program with its words. */
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
  /** For the login shell, whichever it is: no word of the request is in it. */
  readonly command: string;
  /** The program and its words, read by that command from its standard input. */
  readonly input: Buffer;
  /** Stands in the first and last line of the answer, so that a login script's greeting is none of it. */
  readonly token: string;
  /** Whose node it has to be; anything else is refused there before the first call. */
  readonly identity: ClusterIdentity;
}

const PROGRAM = [
  ...[COMMON_PROGRAM, FILES_PROGRAM, IDENTITY_PROGRAM, PROCESSES_PROGRAM, KUBELET_PROGRAM],
].join('');

/**
 * One remote command. The whole text is a single compound command, so a shell that is given only a part of it
 * (the connection broke while sending) finds a syntax error and does nothing.
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
  const input = Buffer.from(`{\ntoken=${token}${PROGRAM}begin\n${lines.join('\n')}\nfinish\n}\n`);
  const shell = `/bin/sh -c 'eval "$(head -c ${String(input.length)})"'`;
  return { command: sudo ? `sudo -n -- ${shell}` : shell, input, token, identity };
}

/** A word of POSIX shell that stands for exactly this text. */
function quotedWord(text: string): string {
  if (text.includes('\0')) throw failure('InvalidInput', 'a text for a node holds a NUL');
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** An absolute path that says what it means: no `..`, no doubled slashes. As the HTTP contract's servers ask for. */
export function plainPath(path: string): string {
  if (path.startsWith('/') && posix.normalize(path) === path && !path.includes('\0')) return path;
  throw failure('InvalidInput', `path ${JSON.stringify(path)} is not absolute and normalised`);
}

/** An epoch or a process id, as the remote program compares it. */
export function wholeNumber(value: number, what: string): string {
  if (Number.isSafeInteger(value) && value >= 0) return String(value);
  throw failure('InvalidInput', `${what} ${String(value)} is not a whole number`);
}
