import { digestText } from '../../../domain/digest.js';
import { failure } from '../../failures.js';
import type { NodeFile } from '../../ports.js';
import { brokenAnswer, sentText } from './remote-answer.js';

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
  return { path, content, hash: digestText(content), mode, changedAtMs };
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
