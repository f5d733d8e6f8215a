import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { CLUSTER_MIGRATION } from '../../config/names.js';
import type { KeptServer } from '../../devserver/processes/kept-server.js';
import type { Cli } from '../cli.js';
import { withServer } from '../runs/connection.js';
import { CLUSTER_ATTRIBUTE, FLEET_ATTRIBUTE, quotedLiteral } from '../runs/find-run.js';
import { reasonIn } from '../runs/server-refusal.js';
import { type ExportOptions, exportRun, exportText, readable } from './export-run.js';
import { missingRecords } from './missing-records.js';

export interface ExportedTo {
  readonly folder: string;
  readonly evidence: ExportOptions['evidence'];
  readonly report: (line: string) => void;
  /** Only runs of this fleet. */
  readonly fleet?: string | null;
}

/** How many runs were written, and how many could not be read, or not as a whole. */
export interface ExportedRuns {
  readonly written: number;
  readonly lacking: number;
}

/**
 * Writes the export of each run that has ended to a folder, as `<run>.json`, unless it is there. One whose evidence is not whole is
 * written as `<run>.incomplete.json`, and tried again each time: the folder that was named may not be the one of its worker.
 */
export async function exportEnded(client: Client, to: ExportedTo): Promise<ExportedRuns> {
  // A continued-as-new execution has not ended: the last execution's export contains all of them.
  const ended = ['Running', 'ContinuedAsNew'].map((status) => `ExecutionStatus!='${status}'`);
  const { fleet = null } = to;
  const ofFleet = fleet === null ? [] : [`${FLEET_ATTRIBUTE.name}=${quotedLiteral(fleet)}`];
  const query = [`WorkflowType='${CLUSTER_MIGRATION}'`, ...ended, ...ofFleet].join(' AND ');
  await mkdir(to.folder, { recursive: true });
  let [written, lacking] = [0, 0];
  for await (const run of client.workflow.list({ query })) {
    const file = join(to.folder, `${run.runId}.json`);
    if (await exists(file)) continue;
    const why = await exportOne(client, run, file, to);
    if (why === null) written += 1;
    else {
      lacking += 1;
      to.report(why);
    }
  }
  return { written, lacking };
}

/** Why it is not whole; null when it is. */
async function exportOne(
  client: Client,
  { workflowId, runId, typedSearchAttributes }: WorkflowExecutionInfo,
  file: string,
  { folder, evidence, report }: ExportedTo,
): Promise<string | null> {
  const cluster = typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '';
  const content = await readable(exportRun(client, { workflowId, runId, evidence, cluster }));
  if (typeof content === 'string') return `not exported: ${content}`;
  const partial = join(folder, `${runId}.incomplete.json`);
  const missing = await missingRecords(content);
  if (missing > 0) {
    if (!(await exists(partial))) await writeDurably(partial, exportText(content));
    return `incomplete: ${workflowId}: ${String(missing)} of its records are not there: ${partial}`;
  }
  await writeDurably(file, exportText(content));
  await rm(partial, { force: true });
  report(`exported ${workflowId}: ${file}`);
  return null;
}

/** A file of that name is whole, after a crash too. */
async function writeDurably(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600, flush: true });
  await rename(`${path}.new`, path);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

export interface ExportPlace {
  readonly server: Pick<KeptServer, 'address' | 'namespace'>;
  /** State folder: evidence is in `worker/`, exports go to `exports/`. */
  readonly root: string;
  readonly report: (line: string) => void;
}

const POLL_EVERY_MS = 10_000;

/** For `dev`: exports until it is interrupted, and then what ended since. */
export async function exportClosedRuns(cli: Cli, place: ExportPlace): Promise<void> {
  const { server, root, report } = place;
  const { address, namespace } = server;
  const evidence = createFileEvidenceStore(join(root, 'worker'));
  const to = { folder: join(root, 'exports'), evidence, report };
  await withServer({ address, namespace, source: 'dev', found: false }, cli.env, async (client) => {
    await exportUntilLeft(client, to, { everyMs: POLL_EVERY_MS, signal: cli.signal });
    await exportEnded(client, to).catch(() => undefined);
  });
}

export interface ExportPace {
  readonly everyMs: number;
  readonly signal: AbortSignal;
}

/** Again and again until the signal: retention then deletes nothing that is not exported. What is away only delays it. */
export async function exportUntilLeft(
  client: Client,
  to: ExportedTo,
  { everyMs, signal }: ExportPace,
): Promise<void> {
  let said = '';
  // What stays the same is said once.
  const report = newLines(to.report);
  while (!signal.aborted) {
    const delay = await exportEnded(client, { ...to, report }).then(() => '', reasonIn);
    if (delay !== '' && delay !== said) to.report(`exports are delayed: ${delay}`);
    said = delay;
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

const MOST_LINES = 10_000;

function newLines(report: (line: string) => void): (line: string) => void {
  const seen = new Set<string>();
  return (line) => {
    if (seen.has(line)) return;
    if (seen.size >= MOST_LINES) seen.clear();
    seen.add(line);
    report(line);
  };
}
