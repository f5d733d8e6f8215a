import { access, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { CLUSTER_MIGRATION, FLEET_MIGRATION } from '../../config/names.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { CLUSTER_ATTRIBUTE, FLEET_ATTRIBUTE, quotedLiteral } from '../runs/find-run.js';
import { reasonIn } from '../runs/server-refusal.js';
import { type ExportOptions, exportRun, exportText, readable } from './export-run.js';
import { exportFleet } from './fleet/export-fleet.js';
import { bundlesNotKept, keepOwnBundle } from './kept-bundles.js';
import { missingRecords } from './missing-records.js';
import { hasMore, isDueAgain, markSettled } from './settled-export.js';

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
 * Writes the export of each run that has ended to a folder, as `<run>.json`, unless it is there; those of fleets to a folder in it.
 * One that was ended from outside is written again once its workers have ended, too, where they recorded more.
 * One whose evidence is not whole is written as `<run>.incomplete.json`, and tried again each time: the folder that was named may
 * not be the one of its worker.
 */
export async function exportEnded(client: Client, to: ExportedTo): Promise<ExportedRuns> {
  const { fleet = null } = to;
  const ofFleet = fleet === null ? [] : [`${FLEET_ATTRIBUTE.name}=${quotedLiteral(fleet)}`];
  await mkdir(to.folder, { recursive: true });
  const runs = await exportEach(client, CLUSTER_MIGRATION, ofFleet, {
    ...to,
    evidenceGoesOn: true,
    make: (run) => madeRun(client, run, to),
  });
  const fleets = await exportEach(client, FLEET_MIGRATION, ofFleet, {
    ...to,
    folder: join(to.folder, FLEETS),
    evidenceGoesOn: false,
    make: async (run) => {
      const content = await exportFleet(client, run);
      return { text: exportText(content), missing: 0, builds: buildsOf(content) };
    },
  });
  await keepBundles(to, [...runs.builds, ...fleets.builds]);
  return {
    written: runs.written + fleets.written,
    lacking: runs.lacking + fleets.lacking,
  };
}

/** For what was exported just now. A bundle that cannot be kept holds up no export. */
async function keepBundles(
  { folder, report }: ExportedTo,
  builds: readonly string[],
): Promise<void> {
  if (builds.length === 0) return;
  const unkept = await keepOwnBundle(folder).then(() => null, reasonIn);
  if (unkept !== null) report(`the workflow bundle is not kept: ${unkept}`);
  for (const digest of bundlesNotKept(folder, builds)) report(lacksBundle(digest));
}

function lacksBundle(digest: string): string {
  return `bundle ${digest} is of another version and not kept: export with that version, too, or these runs can only be replayed where it is installed`;
}

function buildsOf({ executions }: Pick<AuditExport, 'executions'>): readonly string[] {
  return executions.map(({ buildId }) => buildId);
}

/** Where the runs of fleets themselves are, in a folder of exports. */
export const FLEETS = 'fleets';

interface Made {
  readonly text: string;
  /** Records that the run reported, and that are not there. */
  readonly missing: number;
  /** Ids of the builds that wrote it. */
  readonly builds: readonly string[];
}

interface Making extends Pick<ExportedTo, 'folder' | 'report'> {
  /** Where workers may record something of a run after its end. */
  readonly evidenceGoesOn: boolean;
  readonly make: (run: WorkflowExecutionInfo) => Promise<Made>;
}

async function exportEach(
  client: Client,
  workflowType: string,
  only: readonly string[],
  making: Making,
): Promise<ExportedRuns & Pick<Made, 'builds'>> {
  // A continued-as-new execution has not ended: the last execution's export contains all of them.
  const ended = ['Running', 'ContinuedAsNew'].map((status) => `ExecutionStatus!='${status}'`);
  const query = [`WorkflowType='${workflowType}'`, ...ended, ...only].join(' AND ');
  let [written, lacking] = [0, 0];
  const builds: string[] = [];
  for await (const run of client.workflow.list({ query })) {
    const file = join(making.folder, `${run.runId}.json`);
    if (await exists(file)) {
      if (making.evidenceGoesOn && (await isDueAgain(run, file, Date.now())))
        await exportAgain(run, file, making);
      continue;
    }
    await mkdir(making.folder, { recursive: true });
    const made = await readable(making.make(run));
    const why = await exportOne(run, file, made, making);
    if (why === null) written += 1;
    else {
      lacking += 1;
      making.report(why);
    }
    if (typeof made !== 'string') builds.push(...made.builds);
  }
  return { written, lacking, builds };
}

async function madeRun(
  client: Client,
  { workflowId, runId, typedSearchAttributes }: WorkflowExecutionInfo,
  { evidence }: ExportedTo,
): Promise<Made> {
  const cluster = typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '';
  const content = await exportRun(client, { workflowId, runId, evidence, cluster });
  const missing = await missingRecords(content);
  return { text: exportText(content), missing, builds: buildsOf(content) };
}

/** Why it is not whole; null when it is. */
async function exportOne(
  run: WorkflowExecutionInfo,
  file: string,
  made: Made | string,
  { folder, report }: Making,
): Promise<string | null> {
  const { workflowId, runId } = run;
  if (typeof made === 'string') return `not exported: ${made}`;
  const partial = join(folder, `${runId}.incomplete.json`);
  const { text, missing } = made;
  if (missing > 0) {
    if (!(await exists(partial))) await writeDurably(partial, text);
    return `incomplete: ${workflowId}: ${String(missing)} of its records are not there: ${partial}`;
  }
  await writeDurably(file, text);
  await rm(partial, { force: true });
  report(`exported ${workflowId}: ${file}`);
  return null;
}

/** Once more for a run that was ended from outside: its worker may have recorded what became of its last change since. */
async function exportAgain(
  run: WorkflowExecutionInfo,
  file: string,
  { make, report }: Making,
): Promise<void> {
  const made = await readable(make(run));
  if (typeof made === 'string') return;
  if (!(await hasMore(file, made.text))) return markSettled(file, Date.now());
  await writeDurably(file, made.text);
  report(`exported ${run.workflowId} again, with what was recorded after its end: ${file}`);
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
  /** State folder: evidence is in `worker/`, exports go to `exports/`. */
  readonly root: string;
  readonly report: (line: string) => void;
}

const POLL_EVERY_MS = 10_000;

/** For `dev`: exports until the signal, and then what ended since. */
export async function exportClosedRuns(
  client: Client,
  { root, report }: ExportPlace,
  signal: AbortSignal,
): Promise<void> {
  const evidence = createFileEvidenceStore(join(root, 'worker'));
  const to = { folder: join(root, 'exports'), evidence, report };
  await exportUntilLeft(client, to, { everyMs: POLL_EVERY_MS, signal });
  await exportEnded(client, to).catch(() => undefined);
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
