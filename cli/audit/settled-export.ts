import { readFile, stat, utimes } from 'node:fs/promises';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { isEvidenceRecord } from '../../domain/evidence/lines.js';
import { member, parseJson } from '../read-json.js';
import { checkIntents } from './check-intents.js';
import { recordedRun } from './recorded-run.js';
import { readExport } from './runs-on-record.js';

/** How the server ends a run that is not asked: its workers hear of it later, and finish what they are at. */
const ENDED_FROM_OUTSIDE: readonly string[] = ['TERMINATED', 'TIMED_OUT'];

/** Longer than any worker goes on writing without the guard of its run, which ends with it. */
const SETTLED_AFTER_MS = 60 * 60 * 1000;

/** Whether the evidence may have gone on since an export was written, and has come to an end now. */
export async function isDueAgain(
  { status, closeTime }: Pick<WorkflowExecutionInfo, 'status' | 'closeTime'>,
  file: string,
  nowMs: number,
): Promise<boolean> {
  if (!ENDED_FROM_OUTSIDE.includes(status.name) || closeTime === undefined) return false;
  const settledMs = closeTime.getTime() + SETTLED_AFTER_MS;
  return nowMs >= settledMs && (await stat(file)).mtimeMs < settledMs;
}

/**
 * Whether an export has all records of the one in a file, and more: nothing that was exported is given up. Of a run that was reset
 * the evidence goes on with what the other execution does, which this one did not ask for.
 */
export async function hasMore(file: string, text: string): Promise<boolean> {
  const content = readExport(file, text);
  const before = hashesIn(await readFile(file, 'utf8'));
  const now = content.records.map(({ hash }) => hash);
  const isKept = before.every((hash, index) => hash === now[index]);
  if (!isKept || now.length === before.length) return false;
  const histories = content.executions.map(({ history }) => history);
  const recorded = await recordedRun(histories, loadDataConverter(DATA_CONVERTER));
  const records = content.records.filter(isEvidenceRecord);
  const events = recorded.kind === 'read' ? recorded.events : [];
  return checkIntents(events, records, content).result === 'pass';
}

/** It is as it was: it is not asked again. */
export async function markSettled(file: string, nowMs: number): Promise<void> {
  await utimes(file, new Date(nowMs), new Date(nowMs));
}

function hashesIn(text: string): readonly unknown[] {
  const records = member(parseJson(text), 'records');
  return Array.isArray(records) ? records.map((record) => member(record, 'hash')) : [];
}
