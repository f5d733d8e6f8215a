import { digestJson } from '../../domain/digest.js';
import { EMPTY_CHAIN, nextRecord, type ChainHead } from '../../domain/evidence/chain.js';
import { evidenceLine } from '../../domain/evidence/lines.js';
import type {
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../domain/evidence/record.js';
import { redact } from '../../domain/redaction.js';
import { failure, failureTypeOf } from '../failures.js';
import type { EvidenceStore, RunKey } from './evidence-store.js';
import { withProcessLock } from './process-lock.js';
import {
  appendDurably,
  cutTornEnd,
  makeFolderOf,
  markOf,
  readRunFile,
  runFile,
  type RunRecords,
} from './run-file.js';

/** What is known of a run's file while it is unchanged; it was fully verified once. */
interface RunState {
  /** The file's mark when this was read. */
  readonly mark: string;
  readonly head: ChainHead;
  /** Digest of each intent by id. */
  readonly intents: ReadonlyMap<string, string>;
  /** Those without outcome by id, oldest first. */
  readonly open: ReadonlyMap<string, EvidenceIntent>;
}

/**
 * Evidence as one file of JSON lines for each run, each record chained to the one before and on disk before the
 * call returns. Workers on one host (or volume) may share a folder: a lock file orders their writes.
 */
export function createFileEvidenceStore(stateDirectory: string): EvidenceStore {
  const states = new Map<string, RunState>();
  const writer = createRunWriter(states);
  const fileOf = (run: RunKey): string => runFile(stateDirectory, run);
  const recordsOf = async (run: RunKey): Promise<readonly EvidenceRecord[]> =>
    (await readRunFile(fileOf(run))).records;
  return {
    begin: (intent) => {
      const clean = withoutSecrets(intent);
      return writer(fileOf(intent), (state) => intentEntry(state, clean));
    },
    finish: (run, intentId, outcome) => {
      const clean: EvidenceOutcome = { ...outcome, detail: redact(outcome.detail) };
      return writer(fileOf(run), (state) => outcomeEntry(state, intentId, clean));
    },
    // Called before each mutation on a file that grows with each: not read again while it is unchanged.
    openIntents: async (run) => [...(await observed(states, fileOf(run))).open.values()],
    head: async (run) => headOf(await recordsOf(run)),
    read: recordsOf,
  };
}

type Entry = EvidenceRecord['entry'];
type RunWriter = (file: string, entryFor: (state: RunState) => Entry | null) => Promise<void>;

/** Appends what `entryFor` returns (null: nothing), one write after the other for each file. */
function createRunWriter(states: Map<string, RunState>): RunWriter {
  const write: RunWriter = async (file, entryFor) => {
    await makeFolderOf(file);
    await withProcessLock(`${file}.lock`, async () => {
      const state = await currentState(file, states.get(file));
      remember(states, file, state);
      const entry = entryFor(state);
      if (entry === null) return;
      // Dropped until the write is complete: after a failed one only the file shows how far it got.
      states.delete(file);
      remember(states, file, await append(file, state, entry));
    });
  };
  return async (file, entryFor) => {
    const before = queues.get(file) ?? Promise.resolve();
    const own = before.then(() => write(file, entryFor)).catch(asFailure(file));
    const settled = own.catch(() => undefined);
    queues.set(file, settled);
    await own.finally(() => {
      if (queues.get(file) === settled) queues.delete(file);
    });
  };
}

/** More runs than are ever in flight on one worker; an evicted one is read again. */
const MAX_REMEMBERED = 500;

function remember(states: Map<string, RunState>, file: string, state: RunState): void {
  states.delete(file);
  states.set(file, state);
  const [oldest] = states.keys();
  if (states.size > MAX_REMEMBERED && oldest !== undefined) states.delete(oldest);
}

/** Serialises the writes of this process, across all stores. */
const queues = new Map<string, Promise<unknown>>();

/** For writers: first removes what an interrupted write left behind. */
async function currentState(file: string, known: RunState | undefined): Promise<RunState> {
  if (known !== undefined && known.mark === (await markOf(file))) return known;
  const read = await readRunFile(file);
  if (read.tornBytes > 0) await cutTornEnd(file, read.bytes);
  // No other process writes while we hold the lock.
  return stateOf(read, await markOf(file));
}

/** For readers, in parallel with writers: changes nothing. */
async function observed(states: Map<string, RunState>, file: string): Promise<RunState> {
  const mark = await markOf(file);
  const known = states.get(file);
  if (known?.mark === mark) return known;
  // A write during this read changes the file's mark.
  const read = await readRunFile(file);
  const state = stateOf(read, mark);
  // The next writer must notice an interrupted write again.
  if (read.tornBytes === 0) remember(states, file, state);
  return state;
}

function stateOf({ records }: RunRecords, mark: string): RunState {
  const finished = new Set(finishedOf(records));
  const intents = intentsOf(records);
  return {
    mark,
    head: headOf(records),
    intents: new Map(intents.map((intent) => [intent.id, digestJson(intent)] as const)),
    open: new Map(
      intents.filter(({ id }) => !finished.has(id)).map((intent) => [intent.id, intent] as const),
    ),
  };
}

async function append(file: string, state: RunState, entry: Entry): Promise<RunState> {
  const record = nextRecord(state.head, entry);
  const mark = await appendDurably(file, evidenceLine(record), state.head.records === 0);
  const intents = new Map(state.intents);
  const open = new Map(state.open);
  if (entry.kind === 'intent') {
    intents.set(entry.intent.id, digestJson(entry.intent));
    open.set(entry.intent.id, entry.intent);
  } else {
    open.delete(entry.intentId);
  }
  const head = { records: state.head.records + 1, hash: record.hash };
  return { mark, head, intents, open };
}

function intentEntry({ intents }: RunState, intent: EvidenceIntent): Entry | null {
  const known = intents.get(intent.id);
  if (known === undefined) return { kind: 'intent', intent };
  if (known === digestJson(intent)) return null;
  throw failure('Bug', `intent ${intent.id} is already recorded, with other content`);
}

function outcomeEntry(state: RunState, intentId: string, outcome: EvidenceOutcome): Entry | null {
  if (!state.intents.has(intentId)) throw failure('Bug', `no intent ${intentId} was recorded`);
  return state.open.has(intentId) ? { kind: 'outcome', intentId, outcome } : null;
}

function withoutSecrets(intent: EvidenceIntent): EvidenceIntent {
  const { actor, reason, object, proof } = intent;
  return {
    ...intent,
    actor: redact(actor),
    reason: redact(reason),
    object: redact(object),
    proof: redact(proof),
  };
}

function headOf(records: readonly EvidenceRecord[]): ChainHead {
  const last = records.at(-1);
  return last === undefined ? EMPTY_CHAIN : { records: records.length, hash: last.hash };
}

function intentsOf(records: readonly EvidenceRecord[]): readonly EvidenceIntent[] {
  return records.flatMap(({ entry }) => (entry.kind === 'intent' ? [entry.intent] : []));
}

function finishedOf(records: readonly EvidenceRecord[]): readonly string[] {
  return records.flatMap(({ entry }) => (entry.kind === 'outcome' ? [entry.intentId] : []));
}

/** A full disk or a lost volume: retryable, and no mutation happens meanwhile. */
function asFailure(file: string): (error: unknown) => never {
  return (error) => {
    if (failureTypeOf(error) !== null) throw error;
    throw failure('Unavailable', `evidence ${file} cannot be written`, { cause: error });
  };
}
