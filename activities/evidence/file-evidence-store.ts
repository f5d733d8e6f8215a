import { digestJson } from '../../domain/digest.js';
import {
  continuesFrom,
  EMPTY_CHAIN,
  nextRecord,
  type ChainHead,
} from '../../domain/evidence/chain.js';
import { evidenceLine } from '../../domain/evidence/lines.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
} from '../../domain/evidence/record.js';
import { redact } from '../../domain/redaction.js';
import { failure, failureTypeOf } from '../failures.js';
import type { EvidenceStore, RunKey } from './evidence-store.js';
import { keepText, keptText, textsFolder } from './kept-texts.js';
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
  /** Hash of each record, in their order. */
  readonly hashes: readonly string[];
  /** Digest of each intent by id. */
  readonly intents: ReadonlyMap<string, string>;
  /** Those without outcome by id, oldest first. */
  readonly open: ReadonlyMap<string, EvidenceIntent>;
  /** What was allowed or refused, whenever it was. */
  readonly authorities: ReadonlySet<string>;
}

/**
 * Evidence as one file of JSON lines for each run, each record chained to the one before and on disk before the
 * call returns. Workers on one host (or volume) may share a folder: a lock file orders their writes.
 */
export function createFileEvidenceStore(stateDirectory: string): EvidenceStore {
  const memory: Memory = { states: new Map(), heads: new Map() };
  const writer = createRunWriter(memory);
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
    recordAuthority: (authority) => {
      const clean = {
        ...authority,
        actor: redact(authority.actor),
        detail: redact(authority.detail),
      };
      return writer(fileOf(authority), ({ authorities }) =>
        authorities.has(timeless(clean)) ? null : { kind: 'authority', authority: clean },
      );
    },
    // Called before each mutation on a file that grows with each: not read again while it is unchanged.
    openIntents: async (run) => [...(await observed(memory, fileOf(run))).open.values()],
    head: async (run) => headOf(await observed(memory, fileOf(run))),
    requireContinued: async (run, known) => {
      const file = fileOf(run);
      requireBeginning(file, known, await observed(memory, file));
    },
    read: recordsOf,
    keepText: (run, text) => keepText(textsFolder(fileOf(run)), text),
    keptText: (run, digest) => keptText(textsFolder(fileOf(run)), digest),
  };
}

/** By file. */
interface Memory {
  readonly states: Map<string, RunState>;
  /** What was seen of a chain last: kept where its state is dropped, so that a loss is noticed without the run's history. */
  readonly heads: Map<string, ChainHead>;
}

type Entry = EvidenceRecord['entry'];
type RunWriter = (file: string, entryFor: (state: RunState) => Entry | null) => Promise<void>;

/** Appends what `entryFor` returns (null: nothing), one write after the other for each file. */
function createRunWriter(memory: Memory): RunWriter {
  const write: RunWriter = async (file, entryFor) => {
    await makeFolderOf(file);
    await withProcessLock(`${file}.lock`, async () => {
      const state = await currentState(memory, file);
      remember(memory, file, state);
      const entry = entryFor(state);
      if (entry === null) return;
      // Dropped until the write is complete: after a failed one only the file shows how far it got.
      memory.states.delete(file);
      remember(memory, file, await append(file, state, entry));
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

function remember({ states, heads }: Memory, file: string, state: RunState): void {
  setLatest(states, file, state);
  setLatest(heads, file, headOf(state));
}

function setLatest<T>(known: Map<string, T>, file: string, value: T): void {
  known.delete(file);
  known.set(file, value);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}

/** Serialises the writes of this process, across all stores. */
const queues = new Map<string, Promise<unknown>>();

/** For writers: first removes what an interrupted write left behind. */
async function currentState(memory: Memory, file: string): Promise<RunState> {
  const known = memory.states.get(file);
  if (known !== undefined && known.mark === (await markOf(file))) return known;
  const read = await readRunFile(file);
  requireBeginning(file, memory.heads.get(file), { hashes: hashesOf(read) });
  if (read.tornBytes > 0) await cutTornEnd(file, read.bytes);
  // No other process writes while we hold the lock.
  return stateOf(read, await markOf(file));
}

/** For readers, in parallel with writers: changes nothing. */
async function observed(memory: Memory, file: string): Promise<RunState> {
  const mark = await markOf(file);
  const known = memory.states.get(file);
  if (known?.mark === mark) return known;
  const head = memory.heads.get(file);
  // A write during this read changes the file's mark, and may have put the head that is known beyond what was read.
  const read = await readRunFile(file);
  const state = stateOf(read, mark);
  requireBeginning(file, head, state);
  // The next writer must notice an interrupted write again.
  if (read.tornBytes === 0) remember(memory, file, state);
  return state;
}

type Hashes = Pick<RunState, 'hashes'>;

/** @throws `EvidenceLost` when the chain does not begin as it was known to. */
function requireBeginning(file: string, known: ChainHead | undefined, { hashes }: Hashes): void {
  if (known === undefined || continuesFrom(known, hashes)) return;
  const had = `${String(known.records)} records, the last ${known.hash}`;
  const there = hashes[known.records - 1];
  const has =
    there === undefined
      ? `${String(hashes.length)} are there`
      : `record ${String(known.records)} is ${there}`;
  // It may be noticed after a change, when its outcome is to be recorded.
  throw failure('EvidenceLost', `evidence ${file} had ${had}; ${has}. Nothing more is changed`, {
    details: { known, found: headOf({ hashes }) },
  });
}

function stateOf(read: RunRecords, mark: string): RunState {
  const { records } = read;
  const finished = new Set(finishedOf(records));
  const intents = intentsOf(records);
  return {
    mark,
    hashes: hashesOf(read),
    authorities: new Set(
      records.flatMap(({ entry }) =>
        entry.kind === 'authority' ? [timeless(entry.authority)] : [],
      ),
    ),
    intents: new Map(intents.map((intent) => [intent.id, digestJson(intent)] as const)),
    open: new Map(
      intents.filter(({ id }) => !finished.has(id)).map((intent) => [intent.id, intent] as const),
    ),
  };
}

async function append(file: string, state: RunState, entry: Entry): Promise<RunState> {
  const record = nextRecord(headOf(state), entry);
  const mark = await appendDurably(file, evidenceLine(record), state.hashes.length === 0);
  const intents = new Map(state.intents);
  const open = new Map(state.open);
  const authorities = new Set(state.authorities);
  switch (entry.kind) {
    case 'intent':
      intents.set(entry.intent.id, digestJson(entry.intent));
      open.set(entry.intent.id, entry.intent);
      break;
    case 'outcome':
      open.delete(entry.intentId);
      break;
    case 'authority':
      authorities.add(timeless(entry.authority));
  }
  return { mark, hashes: [...state.hashes, record.hash], intents, open, authorities };
}

function timeless(authority: EvidenceAuthority): string {
  return digestJson({ ...authority, at: '' });
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

function headOf({ hashes }: Hashes): ChainHead {
  const hash = hashes.at(-1);
  return hash === undefined ? EMPTY_CHAIN : { records: hashes.length, hash };
}

function hashesOf({ records }: RunRecords): readonly string[] {
  return records.map(({ hash }) => hash);
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
