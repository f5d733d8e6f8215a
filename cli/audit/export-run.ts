import { type Client, isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import type { EvidenceStore, RunKey } from '../../activities/evidence/evidence-store.js';
import { DATA_CONVERTER } from '../../config/data-converter.js';
import { isFleetWorkflow } from '../../config/names.js';
import { API_VERSION } from '../../config/kinds/envelope.js';
import type { AuditExport } from '../../config/outputs/report-documents.js';
import { digestJson } from '../../domain/digest.js';
import { EMPTY_CHAIN } from '../../domain/evidence/chain.js';
import { plainJson } from '../../domain/findings/plain-text.js';
import { toolVersion } from '../tool-version.js';
import { decryptedHistory } from './decrypted-history.js';
import { expandsTooFar, MOST_EXPANDED_BYTES } from './expanded-size.js';
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
  const records = await evidence.read({ workflowId, runId }).catch((error: unknown) => {
    throw new UnreadableRun(`${workflowId}: its evidence: ${messageOf(error)}`);
  });
  const content = {
    apiVersion: API_VERSION,
    kind: 'AuditExport' as const,
    exportedAt: new Date().toISOString(),
    tool: await toolVersion(),
    workflowId,
    runId,
    cluster,
    records: records.map(({ sequence, previous, entry, signature, hash }) => ({
      ...{ sequence, previous, ...(signature === undefined ? {} : { signature }), hash },
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

/** What a process can write and verify as one document, with its copies in memory. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/**
 * What the compressed payloads of a run of a cluster may hold together, in bytes. No worker compresses any of one, and all of
 * them are parsed at once: a few of 32 MiB would end the process. Those of a fleet may hold as much as an export.
 */
const MOST_EXPANDED_OF_CLUSTER = 16 * 1024 * 1024;

/**
 * All executions of a run, from the first: each names the execution that it continued as. @throws UnreadableRun where one is gone,
 * or where all of them are more than one document holds, or their payloads more than is read: an export that fails for want of
 * memory would hold up all others
 */
export async function executionsOf(
  client: Client,
  { workflowId, runId }: Pick<ExportOptions, 'workflowId' | 'runId'>,
  mostCharacters = MOST_CHARACTERS,
): Promise<[Execution, ...Execution[]]> {
  const given = await executionOf(client, workflowId, runId);
  const { first } = linksOf(given.history);
  const begin =
    first === '' || first === runId ? given : await executionOf(client, workflowId, first);
  const executions: [Execution, ...Execution[]] = [begin];
  let characters = lengthOf(begin);
  for (let { next } = linksOf(begin.history); next !== '';) {
    const execution = await executionOf(client, workflowId, next);
    executions.push(execution);
    characters += lengthOf(execution);
    if (characters > mostCharacters) throw tooLarge(workflowId, mostCharacters);
    ({ next } = linksOf(execution.history));
  }
  const mostExpanded = isFleetWorkflow(workflowId) ? MOST_EXPANDED_BYTES : MOST_EXPANDED_OF_CLUSTER;
  if (expandsTooFar(executions, mostExpanded)) {
    throw new UnreadableRun(`${workflowId}: its payloads expand to more than ${mib(mostExpanded)}`);
  }
  return executions;
}

function mib(bytes: number): string {
  return `${String(Math.floor(bytes / 1024 / 1024))} MiB`;
}

function lengthOf({ history }: Execution): number {
  return JSON.stringify(history).length;
}

function tooLarge(workflowId: string, most: number): Error {
  return new UnreadableRun(
    `${workflowId}: its histories are more than the ${mib(most)} that one export holds`,
  );
}

async function executionOf(client: Client, workflowId: string, runId: string): Promise<Execution> {
  const history = await historyOf(client, { workflowId, runId }).catch((error: unknown) => {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    throw new UnreadableRun(`${workflowId}: the server no longer has its execution ${runId}`);
  });
  return { runId, buildId: buildIdIn(history), history, historyDigest: digestJson(history) };
}

/**
 * The history of one execution, as exports have it: decrypted. @throws UnreadableRun where a payload cannot be, or where an event
 * is too deep to be read: all who write to the namespace can bring that about, so it must not keep other runs from being read
 */
export async function historyOf(client: Client, { workflowId, runId }: RunKey): Promise<unknown> {
  const { payloadCodecs } = client.workflow.options.loadedDataConverter;
  try {
    const fetched = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const history: unknown = JSON.parse(historyToJSON(fetched));
    return await decryptedHistory(history, payloadCodecs, MOST_CHARACTERS);
  } catch (error) {
    throw historyFault({ workflowId, runId }, error);
  }
}

const NOT_FOUND = 5;

/** What the server refuses is no fault of the history; the SDK names a missing one in all requests but this. */
function historyFault({ workflowId, runId }: RunKey, error: unknown): unknown {
  if (!isGrpcServiceError(error)) {
    if (error instanceof WorkflowNotFoundError) return error;
    return new UnreadableRun(`${workflowId}, execution ${runId}: ${messageOf(error)}`);
  }
  const { code }: { readonly code: number } = error;
  if (code !== NOT_FOUND) return error;
  return new WorkflowNotFoundError(error.details, workflowId, runId);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A history or its evidence that is there, and says nothing to us. */
class UnreadableRun extends Error {
  override readonly name = 'UnreadableRun';
}

/** As a reader will parse it: undefined members are gone. */
export function asPlain<T extends object>(content: T): T {
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- records and history came from JSON
  return JSON.parse(JSON.stringify(content)) as T;
}

/** The only serialisation of an export, byte for byte: `verify` compares with it. */
export function exportText(content: object): string {
  return `${plainJson(content, 2)}\n`;
}

/** Why a run cannot be read, instead of what was made of it. */
export async function readable<T>(asked: Promise<T>): Promise<T | string> {
  return asked.catch((error: unknown) => {
    if (error instanceof UnreadableRun) return error.message;
    throw error;
  });
}
