import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withProcessLock } from '../../activities/evidence/process-lock.js';
import type { SigningKey } from '../../config/access/signing-key-file.js';
import { checkpointBody, noteText } from '../../domain/transparency/checkpoint.js';
import { entryText, type LogEntry, readLogEntry } from '../../domain/transparency/log-entry.js';
import {
  grownLevels,
  type NextLog,
  readLogCheckpoint,
  readStoredLog,
  rootText,
  type StoredLog,
  writeStoredLog,
} from './log-files.js';
import { isNoteSigned, signNote } from './note-signature.js';

/** A log that this process may write to. */
export interface AnchorLog {
  readonly origin: string;
  readonly entries: readonly LogEntry[];
  readonly stored: StoredLog;
  /** Its checkpoint as written. */
  readonly note: string;
}

/** Begins an empty log. @throws Error where there is one already. */
export async function beginLog(folder: string, origin: string, key: SigningKey): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o755 });
  await alone(folder, async () => {
    if (existsSync(join(folder, 'checkpoint'))) throw new Error(`there is a log in ${folder}`);
    await writeStoredLog(folder, { from: 0, ...signed(origin, NOTHING, [], key) });
  });
}

/** @throws Error in plain words, for a log that is damaged or that another key has signed */
export async function openLog(folder: string, key: SigningKey): Promise<AnchorLog> {
  const stored = await readStoredLog(folder);
  const { origin } = stored.checkpoint;
  if (!isNoteSigned(stored.checkpoint, key.publicKey)) {
    throw new Error(`log ${folder}: its checkpoint is not signed with this key`);
  }
  const { body, signatures } = stored.checkpoint;
  return { origin, stored, entries: logEntries(folder, stored), note: noteText(body, signatures) };
}

/** @throws Error for an entry that this version does not know */
export function logEntries(folder: string, { entries }: StoredLog): readonly LogEntry[] {
  return entries.map((text, index) => {
    const entry = readLogEntry(text);
    if (entry !== null) return entry;
    throw new Error(
      `log ${folder}: entry ${String(index)} is none of this version: was it written by a later one?`,
    );
  });
}

/** Adds entries to the log that was read, unless another process has written to it since. */
export async function appendEntries(
  folder: string,
  { stored, origin, entries: before }: AnchorLog,
  added: readonly LogEntry[],
  key: SigningKey,
): Promise<AnchorLog> {
  const from = stored.entries.length;
  const next = signed(origin, stored, added.map(entryText), key);
  await alone(folder, async () => {
    const { body } = await readLogCheckpoint(folder);
    if (body !== stored.checkpoint.body) {
      throw new Error(`log ${folder}: another process writes to it: one at a time`);
    }
    await writeStoredLog(folder, { from, ...next });
  });
  return { origin, stored: next, entries: [...before, ...added], note: next.note };
}

const NOTHING: LogContent = { entries: [], levels: [] };

function signed(
  origin: string,
  before: LogContent,
  added: readonly string[],
  key: SigningKey,
): NextParts {
  const entries = [...before.entries, ...added];
  const levels = grownLevels(before.levels, added);
  const size = entries.length;
  const unsigned = { origin, size, root: rootText(levels, size) };
  const body = checkpointBody(unsigned);
  const signatures = [signNote(body, origin, key)];
  const checkpoint = { ...unsigned, body, signatures };
  return { entries, levels, checkpoint, note: noteText(body, signatures) };
}

type LogContent = Pick<StoredLog, 'entries' | 'levels'>;
type NextParts = StoredLog & Pick<NextLog, 'note'>;

function alone(folder: string, act: () => Promise<void>): Promise<void> {
  return withProcessLock(join(folder, 'writer.lock'), act);
}
