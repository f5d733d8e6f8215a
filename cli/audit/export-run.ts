import { access, mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { EvidenceStore, RunKey } from '../../activities/evidence/evidence-store.js';
import { createFileEvidenceStore } from '../../activities/evidence/file-evidence-store.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import { CLUSTER_MIGRATION } from '../../config/names.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import type { KeptServer } from '../../devserver/processes/kept-server.js';
import { digestJson } from '../../domain/digest.js';
import { EMPTY_CHAIN } from '../../domain/evidence/chain.js';
import { plainJson } from '../../domain/findings/plain-text.js';
import type { Cli } from '../cli.js';
import { withServer } from '../runs/connection.js';
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';
import { toolVersion } from '../tool-version.js';
import { decryptedHistory } from './decrypted-history.js';
import { buildIdIn, linksOf } from './history-facts.js';
import { type KeptList, keptLists } from './object-lists.js';
import { recordedRun } from './recorded-run.js';

export interface ExportOptions {
  readonly workflowId: string;
  /** Of any execution of the run. */
  readonly runId: string;
  readonly cluster: string;
  /** Where the workers keep the evidence. */
  readonly evidence: Pick<EvidenceStore, 'read' | 'keptText'>;
}

type Execution = AuditExport['executions'][number];

/** Everything about one run that an audit needs, in one document that proves itself. */
export async function exportRun(client: Client, order: ExportOptions): Promise<AuditExport> {
  const { workflowId, cluster, evidence } = order;
  const executions = await executionsOf(client, order);
  const { runId } = executions[0];
  const records = await evidence.read({ workflowId, runId });
  const content = {
    apiVersion: API_VERSION,
    kind: 'AuditExport' as const,
    exportedAt: new Date().toISOString(),
    tool: await toolVersion(),
    workflowId,
    runId,
    cluster,
    records: records.map(({ sequence, previous, entry, hash }) => ({
      ...{ sequence, previous, hash },
      entry: { ...entry },
    })),
    head: records.at(-1)?.hash ?? EMPTY_CHAIN.hash,
    executions,
    objectLists: [...(await listsOf(evidence, { workflowId, runId }, executions))],
  };
  const plain = asPlain(content);
  return { ...plain, digest: digestJson(plain) };
}

/** None where a history cannot be read: the export says so when it is verified. */
async function listsOf(
  store: Pick<EvidenceStore, 'keptText'>,
  run: RunKey,
  executions: readonly Execution[],
): Promise<readonly KeptList[]> {
  const histories = executions.map(({ history }) => history);
  const recorded = await recordedRun(histories, loadDataConverter(DATA_CONVERTER));
  return recorded.kind === 'read' ? keptLists(store, run, recorded.events) : [];
}

/** All executions of a run, from the first: each names the execution that it continued as. */
export async function executionsOf(
  client: Client,
  { workflowId, runId }: Pick<ExportOptions, 'workflowId' | 'runId'>,
): Promise<[Execution, ...Execution[]]> {
  const given = await executionOf(client, workflowId, runId);
  const { first } = linksOf(given.history);
  const begin =
    first === '' || first === runId ? given : await executionOf(client, workflowId, first);
  const executions: [Execution, ...Execution[]] = [begin];
  for (let { next } = linksOf(begin.history); next !== '';) {
    const execution = await executionOf(client, workflowId, next);
    executions.push(execution);
    ({ next } = linksOf(execution.history));
  }
  return executions;
}

async function executionOf(client: Client, workflowId: string, runId: string): Promise<Execution> {
  const history = await historyOf(client, { workflowId, runId });
  return { runId, buildId: buildIdIn(history), history, historyDigest: digestJson(history) };
}

/**
 * The history of one execution, as exports have it: decrypted. @throws UnreadableHistory where a payload cannot be: all who write to
 * the namespace can bring that about, so it must not keep other runs from being read
 */
export async function historyOf(client: Client, { workflowId, runId }: RunKey): Promise<unknown> {
  const fetched = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const { payloadCodecs } = client.workflow.options.loadedDataConverter;
  try {
    return await decryptedHistory(JSON.parse(historyToJSON(fetched)), payloadCodecs);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new UnreadableHistory(`${workflowId}, execution ${runId}: ${why}`);
  }
}

/** A history that is there, and says nothing to us. */
class UnreadableHistory extends Error {
  override readonly name = 'UnreadableHistory';
}

/** As a reader will parse it: undefined members are gone. */
function asPlain<T extends object>(content: T): T {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- records and history came from JSON
  return JSON.parse(JSON.stringify(content)) as T;
}

/** The only serialisation of an export, byte for byte: `verify` compares with it. */
export function exportText(content: object): string {
  return `${plainJson(content, 2)}\n`;
}

export interface ExportPlace {
  readonly server: Pick<KeptServer, 'address' | 'namespace'>;
  /** State folder: evidence is in `worker/`, exports go to `exports/`. */
  readonly root: string;
  readonly report: (line: string) => void;
}

const POLL_EVERY_MS = 10_000;

/**
 * Writes the export of each run that has ended, once, until interrupted: retention then deletes nothing that is not
 * exported.
 */
export async function exportClosedRuns(cli: Cli, place: ExportPlace): Promise<void> {
  const { address, namespace } = place.server;
  await withServer({ address, namespace, source: 'dev', found: false }, cli.env, async (client) => {
    while (!cli.signal.aborted) {
      await exportOnce(client, place).catch((error: unknown) => {
        place.report(
          `exports are delayed: ${error instanceof Error ? error.message : String(error)}`,
        );
      });
      await sleep(POLL_EVERY_MS, undefined, { signal: cli.signal }).catch(() => undefined);
    }
    // Runs that ended since the last poll.
    await exportOnce(client, place).catch(() => undefined);
  });
}

async function exportOnce(client: Client, { root, report }: ExportPlace): Promise<void> {
  const evidence = createFileEvidenceStore(join(root, 'worker'));
  await exportEnded(client, { folder: join(root, 'exports'), evidence, report });
}

export interface ExportedTo {
  readonly folder: string;
  readonly evidence: ExportOptions['evidence'];
  readonly report: (line: string) => void;
}

/** How many runs were written, and how many cannot be read. */
export interface ExportedRuns {
  readonly written: number;
  readonly unreadable: number;
}

/** Writes the export of each run that has ended to a folder, as `<run>.json`, unless it is there. */
export async function exportEnded(
  client: Client,
  { folder, evidence, report }: ExportedTo,
): Promise<ExportedRuns> {
  // A continued-as-new execution has not ended: the last execution's export contains all of them.
  const ended = ['Running', 'ContinuedAsNew'].map((status) => `ExecutionStatus!='${status}'`);
  const query = [`WorkflowType='${CLUSTER_MIGRATION}'`, ...ended].join(' AND ');
  await mkdir(folder, { recursive: true });
  let [written, unreadable] = [0, 0];
  for await (const { workflowId, runId, typedSearchAttributes } of client.workflow.list({
    query,
  })) {
    const file = join(folder, `${runId}.json`);
    if (await exists(file)) continue;
    const cluster = typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? '';
    const content = await readable(exportRun(client, { workflowId, runId, evidence, cluster }));
    if (typeof content === 'string') {
      unreadable += 1;
      report(`not exported: ${content}`);
      continue;
    }
    await writeFile(`${file}.new`, exportText(content), { mode: 0o600 });
    await rename(`${file}.new`, file);
    written += 1;
    report(`exported ${workflowId}: ${file}`);
  }
  return { written, unreadable };
}

/** Why a history cannot be read, instead of what was made of it. */
export async function readable<T>(asked: Promise<T>): Promise<T | string> {
  return asked.catch((error: unknown) => {
    if (error instanceof UnreadableHistory) return error.message;
    throw error;
  });
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
