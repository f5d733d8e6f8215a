import type { BigIntStats } from 'node:fs';
import { mkdir, open, readFile, stat, truncate } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { digestText } from '../../domain/digest.js';
import { verifyChain } from '../../domain/evidence/chain.js';
import { parseEvidenceLines } from '../../domain/evidence/lines.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { errorCode, failure } from '../failures.js';
import type { RunKey } from './evidence-store.js';
import { brokenChain } from './chain-state.js';

/** `<stateDir>/evidence/<workflow>/<run>.jsonl`; both names are made safe and stay readable. */
export function runFile(stateDirectory: string, { workflowId, runId }: RunKey): string {
  return join(stateDirectory, 'evidence', safeName(workflowId), `${safeName(runId)}.jsonl`);
}

const LONGEST_NAME = 160;

/** `/` becomes `%2F`; what stays ambiguous or too long gets a digest, so that two ids never share a file. */
function safeName(id: string): string {
  const name = encodeURIComponent(id).replace(/[*'()!~]/g, '_');
  const plain = name.length <= LONGEST_NAME && /^[^._]/.test(name) && !/[*'()!~]/.test(id);
  return plain ? name : `_${name.slice(0, 100)}.${digestText(id).slice(7, 31)}`;
}

export interface RunRecords {
  readonly records: readonly EvidenceRecord[];
  /** Bytes of complete lines: everything after is an interrupted write. */
  readonly bytes: number;
  readonly tornBytes: number;
}

/** Reads and verifies a run's file; a missing one is an empty chain. A broken one is `PreconditionFailed`. */
export async function readRunFile(file: string): Promise<RunRecords> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return '';
    throw unreadable(file, error);
  });
  const parsed = parseEvidenceLines(text);
  const verdict = parsed.kind === 'broken' ? parsed : verifyChain(parsed.records);
  if (parsed.kind === 'broken' || verdict.kind === 'broken') {
    throw brokenChain(file, verdict.kind === 'broken' ? verdict : { at: 0, why: '' });
  }
  const tornBytes = Buffer.byteLength(parsed.torn);
  return { records: parsed.records, bytes: Buffer.byteLength(text) - tornBytes, tornBytes };
}

function unreadable(file: string, cause: unknown): Error {
  return failure('Unavailable', `evidence ${file} is not readable`, { cause });
}

/** Cuts off an unfinished last line. */
export async function cutTornEnd(file: string, bytes: number): Promise<void> {
  await truncate(file, bytes);
}

/**
 * A mark of a file's current content; empty for no file. Every write changes it: the time of a file's last change cannot be
 * set (inode(7), ctime). Its resolution is one tick of the kernel's clock, a few milliseconds.
 */
export async function markOf(file: string): Promise<string> {
  try {
    return markIn(await stat(file, { bigint: true }));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw unreadable(file, error);
  }
}

function markIn({ ino, size, ctimeNs }: BigIntStats): string {
  return [ino, size, ctimeNs].join(' ');
}

/** Appends and returns the file's mark once it is on stable storage, including the folder's entry of a new file. */
export async function appendDurably(file: string, text: string, isNew: boolean): Promise<string> {
  const handle = await open(file, 'a', 0o600);
  let mark: string;
  try {
    await handle.appendFile(text);
    await handle.sync();
    mark = markIn(await handle.stat({ bigint: true }));
  } finally {
    await handle.close();
  }
  if (isNew) await syncFolder(dirname(file));
  return mark;
}

/** Makes the folder of a file, and its own entry durable. Readable by its owner only. */
export async function makeFolderOf(file: string): Promise<void> {
  const folder = dirname(file);
  const first = await mkdir(folder, { recursive: true, mode: 0o700 });
  if (first !== undefined) await syncFolder(dirname(folder));
}

export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
