import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { CLUSTER_MIGRATION, clusterUidIn } from '../../config/names.js';
import { AuditExport } from '../../config/outputs/report-documents.js';
import { intentOutcomes } from '../../domain/evidence/intent-outcomes.js';
import { isEvidenceRecord } from '../../domain/evidence/lines.js';
import type { RunOnRecord } from '../../domain/evidence/population.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { UsageError } from '../cli-error.js';
import { parseJson } from '../read-json.js';
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';
import { type ResultTrust, signedPlaces } from './check-results.js';
import { expandsTooFar } from './expanded-size.js';
import { executionsOf, readable } from './export-run.js';
import { type FolderExports, folderExports, namesIn } from './folder-exports.js';
import {
  type FromList,
  listedExecutions,
  listedStatus,
  listedTicket,
  type NotRead,
  READ_ALL,
} from './listed-executions.js';
import { type RecordedEvent, recordedRun } from './recorded-run.js';
import { runEnd } from './run-span.js';

/** A run with what an auditor asks first. Empty texts are unknown. */
export interface AuditedRun extends RunOnRecord {
  readonly target: string;
  /** As it ended itself; `open`, or what ended it from outside. */
  readonly outcome: string;
  /** As claimed, and who signed. */
  readonly actor: string;
  readonly principal: string;
  readonly reason: string;
  readonly ticket: string;
  /** Of its export; empty without one. */
  readonly file: string;
}

type Execution = Pick<AuditExport['executions'][number], 'runId' | 'history'>;

/** The exports in a folder, and the files that are none: what cannot be read is not counted as a run. @throws UsageError without one */
export async function exportedRuns(folder: string): Promise<FolderExports<ReadExport>> {
  return folderExports(folder, await namesIn(folder), async (file, text) => {
    const content = contentOf(text);
    if (content === null) throw new Error('it is not an export of this tool');
    return exportedRun(file, text, content);
  });
}

/** The run of one export. */
export async function exportedRun(
  file: string,
  text: string,
  content: AuditExport,
): Promise<ReadExport> {
  return { run: await runOfExport(file, content), text, executions: idsOf(content) };
}

/** @throws UsageError where the text of a file is no export. */
export function readExport(file: string, text: string): AuditExport {
  const content = contentOf(text);
  if (content !== null) return content;
  throw new UsageError(`${file} is not an export of this tool`);
}

function contentOf(text: string): AuditExport | null {
  const parsed = AuditExport.safeParse(parseJson(text));
  return parsed.success && !expandsTooFar(parsed.data) ? parsed.data : null;
}

export interface ReadExport {
  readonly run: AuditedRun;
  readonly text: string;
  /** Of all its executions. */
  readonly executions: readonly string[];
}

function idsOf({ executions }: AuditExport): readonly string[] {
  return executions.map(({ runId }) => runId);
}

async function runOfExport(file: string, content: AuditExport): Promise<AuditedRun> {
  const { workflowId, runId, executions } = content;
  const records = content.records.filter(isEvidenceRecord);
  const facts = await factsOf(executions, '');
  const epochs = [...new Set([...takenBy(records), ...facts.epochs])];
  const cluster = facts.cluster === '' ? content.cluster : facts.cluster;
  return {
    ...{ ...facts, workflowId, runId, cluster, uid: clusterUidIn(workflowId), epochs, file },
    principal: principalIn(records),
    ...{ listed: false, exported: true },
  };
}

/** Epochs of which the evidence says that the fence was taken, or may have been. */
function takenBy(records: readonly Pick<EvidenceRecord, 'entry'>[]): readonly number[] {
  const outcomes = intentOutcomes(records);
  return records.flatMap(({ entry }) => {
    if (entry.kind !== 'intent' || entry.intent.step !== 'takeFence') return [];
    const { id, epoch } = entry.intent;
    return NOT_TAKEN.includes(outcomes.get(id) ?? '') ? [] : [epoch];
  });
}

const NOT_TAKEN: readonly string[] = ['refused', 'foundNotApplied'];

function principalIn(records: readonly Pick<EvidenceRecord, 'entry'>[]): string {
  const accepted = records.flatMap(({ entry }) =>
    entry.kind === 'authority' && entry.authority.verdict === 'accepted' ? [entry.authority] : [],
  );
  return accepted.find(({ verb }) => verb === 'apply')?.principal ?? '';
}

type Facts = Omit<
  AuditedRun,
  'workflowId' | 'runId' | 'uid' | 'principal' | 'file' | 'listed' | 'exported'
>;

/** What the histories of a run say. `status`: how the server calls its end, for a run that reported none. */
async function factsOf(
  executions: readonly Execution[],
  status: string,
  isProven: (event: RecordedEvent) => boolean = () => true,
): Promise<Facts> {
  const converter = loadDataConverter(DATA_CONVERTER);
  const histories = executions.map(({ history }) => history);
  const recorded = await recordedRun(histories, converter);
  const events = recorded.kind === 'read' ? recorded.events : [];
  return {
    ...askedIn(events),
    ...(await runEnd(executions, converter, status)),
    target: targetIn(events),
    epochs: epochsIn(events.filter(isProven)),
    claimed: epochsIn(events.filter((event) => !isProven(event))),
  };
}

function epochsIn(events: readonly RecordedEvent[]): readonly number[] {
  return events.flatMap((event) => (event.kind === 'fence' ? [event.epoch] : []));
}

function askedIn(
  events: readonly RecordedEvent[],
): Pick<AuditedRun, 'cluster' | 'actor' | 'reason'> {
  const asked = events.find((event) => event.kind === 'asked')?.asked;
  if (asked === undefined) return { cluster: '', actor: '', reason: '' };
  return { cluster: asked.cluster.name, actor: asked.actor, reason: asked.reason };
}

function targetIn(events: readonly RecordedEvent[]): string {
  const observed = events.find((event) => event.kind === 'observed');
  return observed?.kind === 'observed' ? observed.input.decide.target : '';
}

/** The runs of clusters that an audit knows of. */
export interface RunsOnRecord extends NotRead {
  readonly runs: readonly AuditedRun[];
}

/**
 * All runs that the server lists, with those that exports have already told of. With trust, only the epochs that a worker signed
 * count of one that no export tells of: all who may write to the namespace can have one listed, with any history.
 */
export async function runsOnRecord(
  client: Client,
  exports: readonly ReadExport[],
  reading = READ_ALL,
  trusted: ResultTrust | null = null,
): Promise<RunsOnRecord> {
  const known = new Map(
    exports.flatMap((each) => each.executions.map((id) => [id, each.run] as const)),
  );
  const found = new Map(exports.map(({ run }) => [run.runId, run]));
  const query = `WorkflowType='${CLUSTER_MIGRATION}' AND ExecutionStatus!='ContinuedAsNew'`;
  const unreadable: string[] = [];
  const { told, unread } = await listedExecutions(
    client,
    { query, known },
    ofRuns(client, trusted, unreadable),
    reading,
  );
  for (const run of told) found.set(run.runId, { ...run, listed: true });
  const runs = [...found.values()].sort((a, b) => a.startedAtMs - b.startedAtMs);
  return { runs, unread, unreadable };
}

function ofRuns(
  client: Client,
  trusted: ResultTrust | null,
  unreadable: string[],
): FromList<AuditedRun> {
  return {
    read: async (listed) => {
      const { workflowId, runId } = listed;
      const executions = await readable(executionsOf(client, { workflowId, runId }));
      if (typeof executions !== 'string') return listedRun(listed, executions, trusted);
      unreadable.push(executions);
      return unreadRun(listed);
    },
    unread: (listed) => ({
      ...unreadRun(listed),
      ...{ outcome: listedStatus(listed), ticket: listedTicket(listed) },
    }),
  };
}

/** It is on the list, and accounts for nothing: epochs that it took are missed. */
function unreadRun({
  workflowId,
  runId,
  startTime,
  closeTime,
  typedSearchAttributes,
}: WorkflowExecutionInfo): AuditedRun {
  return {
    ...{ workflowId, runId, uid: clusterUidIn(workflowId), file: '', principal: '' },
    ...{ epochs: [], claimed: [] },
    cluster: typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '',
    ...{ actor: '', reason: '', ticket: '', target: '', outcome: 'unreadable' },
    startedAtMs: startTime.getTime(),
    endedAtMs: closeTime?.getTime() ?? null,
    ...{ listed: true, exported: false },
  };
}

async function listedRun(
  { workflowId, status, typedSearchAttributes }: WorkflowExecutionInfo,
  executions: Awaited<ReturnType<typeof executionsOf>>,
  trusted: ResultTrust | null,
): Promise<AuditedRun> {
  const converter = loadDataConverter(DATA_CONVERTER);
  const signed =
    trusted === null
      ? null
      : await signedPlaces({ workflowId, executions }, 'takeFence', converter, trusted);
  const facts = await factsOf(
    executions,
    status.name.toLowerCase(),
    ({ where }) => signed === null || signed.has(where),
  );
  const cluster = typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '';
  return {
    ...facts,
    ...(facts.cluster === '' ? { cluster } : {}),
    ...{ workflowId, runId: executions[0].runId, principal: '', file: '' },
    uid: clusterUidIn(workflowId),
    ...{ listed: true, exported: false },
  };
}
