import type { Client } from '@temporalio/client';
import type { SigningKey } from '../../config/access/signing-key-file.js';
import type { ExecutionEntry, LogEntry } from '../../domain/transparency/log-entry.js';
import { type AnchorLog, appendEntries, openLog } from '../transparency/anchor-log.js';
import type { StampLog } from '../transparency/stamped-log.js';
import { anchorPass } from './anchor-pass.js';

/** What one pass has written. */
export interface Anchored {
  readonly origin: string;
  /** Entries of the log now. */
  readonly size: number;
  readonly added: readonly ExecutionEntry[];
  /** Where the server no longer says what it said before. */
  readonly contradictions: readonly string[];
  /** Executions that cannot be read, and why: they are not in the log. */
  readonly unreadable: readonly string[];
  /** Why what it says now was not stamped; empty where it was, or was not to be yet. */
  readonly unstamped: string;
  /** Why it is not where its writer cannot take it back; empty where it is, or was not to be. */
  readonly unpublished: string;
  /** The text that signs it: to be kept elsewhere, too. */
  readonly checkpoint: string;
}

export interface AnchorOrder {
  readonly folder: string;
  readonly key: SigningKey;
  /** Has it stamped; null where it is not to be. */
  readonly stamp: StampLog | null;
  /** Brings what was written to where it cannot be taken back; null where it stays. */
  readonly publish: ((message: string) => Promise<void>) | null;
}

/** A log that says nothing for longer than this was asleep. */
const QUIET_MS = 3_600_000;

/** Reads the log again, what the server says of each run, and writes what is new. */
export async function anchorOnce(
  client: Client,
  { folder, key, stamp, publish }: AnchorOrder,
): Promise<Anchored> {
  const log = await openLog(folder, key);
  const { added, contradictions, unreadable } = await anchorPass(client, log.entries);
  const next = await written(folder, log, added.length > 0 ? added : quietEntry(log), key);
  const size = next.entries.length;
  // Before it is published, so that both are in one commit.
  const unstamped = stamp === null ? '' : await problemOf(stamp(folder, next));
  return {
    ...{ origin: log.origin, size, added, contradictions, unreadable, unstamped },
    unpublished:
      publish === null ? '' : await problemOf(publish(`${log.origin}: ${String(size)} entries`)),
    checkpoint: next.note,
  };
}

function written(
  folder: string,
  log: AnchorLog,
  added: readonly LogEntry[],
  key: SigningKey,
): Promise<AnchorLog> {
  return added.length === 0 ? Promise.resolve(log) : appendEntries(folder, log, added, key);
}

function quietEntry({ entries }: AnchorLog): readonly LogEntry[] {
  const at = new Date();
  const last = entries.at(-1)?.at;
  const isDue = last === undefined || at.getTime() - Date.parse(last) >= QUIET_MS;
  return isDue ? [{ kind: 'quiet', at: at.toISOString() }] : [];
}

async function problemOf(done: Promise<void>): Promise<string> {
  try {
    await done;
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
