import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { SimulatedNode } from '../model.js';
import { badRequestAnswer, json, statusAnswer } from '../../base/http/answers.js';
import type { JsonAnswer } from '../../base/http/request.js';
import type { JsonObject } from '../../base/json.js';
import { refusedEpoch } from './epoch-file.js';

const ABSENT = 'absent';

function hashOf(content: string): string {
  return `sha256:${createHash('sha256').update(content, 'utf8').digest('hex')}`;
}

/** GET files: one file. */
export function readFile(node: SimulatedNode, query: URLSearchParams): JsonAnswer {
  const path = query.get('path') ?? '';
  if (!isPlain(path)) return notPlain(path);
  const file = fileAt(node, path);
  return file === null ? noSuchFile(path) : json(200, file);
}

/** A file in the contract's form; null when it does not exist. */
export function fileAt(node: SimulatedNode, path: string): object | null {
  const file = node.files.read(path);
  if (file === undefined) return null;
  const { content, mode, changedAtMs } = file;
  return { path, content, hash: hashOf(content), mode, changedAtMs };
}

/** Names and digests of a folder's files; empty when the folder does not exist. */
export function folderAt(node: SimulatedNode, directory: string): readonly object[] {
  return node.files.list(directory).flatMap((name) => {
    const file = node.files.read(posix.join(directory, name));
    return file === undefined ? [] : [{ name, hash: hashOf(file.content) }];
  });
}

/** PUT files: writes a file if its current content is the expected one. */
export function writeFile(
  node: SimulatedNode,
  query: URLSearchParams,
  body: JsonObject,
): JsonAnswer {
  const path = query.get('path') ?? '';
  const { content, expect, epoch } = body;
  const mode = newMode(body);
  if (!isPlain(path)) return notPlain(path);
  if (typeof content !== 'string' || typeof expect !== 'string' || mode === null) {
    return badRequestAnswer('content and expect must be strings, and mode 0600 or 0644');
  }
  const refused = refusedEpoch(node, query, Number(epoch)) ?? refusedContent(node, path, expect);
  if (refused !== null) return refused;
  node.files.write(path, content, node.files.read(path)?.mode ?? mode);
  return json(200, { hash: hashOf(content) });
}

/** The mode of a file that is new; null where it is none that a client may ask for. */
function newMode({ mode = '0600' }: JsonObject): string | null {
  return mode === '0600' || mode === '0644' ? mode : null;
}

/** DELETE files: removes a file if its current content is the expected one. */
export function deleteFile(node: SimulatedNode, query: URLSearchParams): JsonAnswer {
  const path = query.get('path') ?? '';
  if (!isPlain(path)) return notPlain(path);
  const expect = query.get('expect') ?? '';
  const epoch = query.has('epoch') ? Number(query.get('epoch')) : Number.NaN;
  const refused = refusedEpoch(node, query, epoch) ?? refusedContent(node, path, expect);
  if (refused !== null) return refused;
  node.files.remove(path);
  return json(200, {});
}

export function refusedContent(
  node: SimulatedNode,
  path: string,
  expect: string,
): JsonAnswer | null {
  const file = node.files.read(path);
  const present = file === undefined ? ABSENT : hashOf(file.content);
  if (present === expect) return null;
  return statusAnswer(
    409,
    'Conflict',
    `${path} is ${present}, expected ${expect === '' ? '(not given)' : expect}`,
  );
}

/** An absolute and unambiguous path: no `..`, no doubled slashes, no NUL. */
export function isPlain(path: string): boolean {
  return path.startsWith('/') && posix.normalize(path) === path && !path.includes('\0');
}

export function notPlain(path: string): JsonAnswer {
  return badRequestAnswer(`path ${JSON.stringify(path)} is not absolute and normalised`);
}

function noSuchFile(path: string): JsonAnswer {
  return statusAnswer(404, 'NotFound', `no file ${path}`);
}
