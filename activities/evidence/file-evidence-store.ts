import { type ChainHead, nextRecord } from '../../domain/evidence/chain.js';
import { evidenceLine } from '../../domain/evidence/lines.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { failure, failureTypeOf } from '../failures.js';
import type { EvidenceStore, RunKey } from './evidence-store.js';
import { keepText, keptText, textsFolder } from './kept-texts.js';
import { withProcessLock } from './process-lock.js';
import { createWriteQueue, rememberLatest } from './remembered-runs.js';
import {
  appendDurably,
  cutTornEnd,
  makeFolderOf,
  markOf,
  readRunFile,
  runFile,
} from './run-file.js';
import type { RecordSigner } from './record-signer.js';
import {
  acceptancesIn,
  type EntryFor,
  headOf,
  recordsThrough,
  requireBeginning,
  type ChainState,
  stateOf,
  withRecords,
} from './chain-state.js';

/** What is known of a run's file while it is unchanged; it was fully verified once. */
interface FileState extends ChainState {
  /** The file's mark when this was read. */
  readonly mark: string;
}

/**
 * Evidence as one file of JSON lines for each run, each record chained to the one before and on disk before the
 * call returns. Workers on one host (or volume) may share a folder: a lock file orders their writes.
 */
export function createFileEvidenceStore(
  stateDirectory: string,
  signer: RecordSigner | null = null,
): EvidenceStore {
  const memory: Memory = { states: new Map(), heads: new Map() };
  const writer = createRunWriter(memory, signer);
  const fileOf = (run: RunKey): string => runFile(stateDirectory, run);
  const recordsOf = async (run: RunKey): Promise<readonly EvidenceRecord[]> =>
    (await readRunFile(fileOf(run))).records;
  return {
    ...recordsThrough((run, entryFor) => writer(fileOf(run), entryFor), signer),
    acceptances: async (run) => acceptancesIn(await observed(memory, fileOf(run))),
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
  readonly states: Map<string, FileState>;
  /** What was seen of a chain last: kept where its state is dropped, so that a loss is noticed without the run's history. */
  readonly heads: Map<string, ChainHead>;
}

type RunWriter = (file: string, entryFor: EntryFor) => Promise<void>;

/** Appends what `entryFor` returns (null: nothing), one write after the other for each file. */
function createRunWriter(memory: Memory, signer: RecordSigner | null): RunWriter {
  const write: RunWriter = async (file, entryFor) => {
    await makeFolderOf(file);
    await withProcessLock(`${file}.lock`, async () => {
      const state = await currentState(memory, file);
      remember(memory, file, state);
      const entry = entryFor(state);
      if (entry === null) return;
      // Dropped until the write is complete: after a failed one only the file shows how far it got.
      memory.states.delete(file);
      const record = nextRecord(headOf(state), entry, signer?.sign);
      remember(memory, file, await append(file, state, record));
    });
  };
  return (file, entryFor) => inTurn(file, () => write(file, entryFor).catch(asFailure(file)));
}

/** Serialises the writes of this process, across all stores. */
const inTurn = createWriteQueue();

function remember({ states, heads }: Memory, file: string, state: FileState): void {
  rememberLatest(states, file, state);
  rememberLatest(heads, file, headOf(state));
}

/** For writers: first removes what an interrupted write left behind. */
async function currentState(memory: Memory, file: string): Promise<FileState> {
  const known = memory.states.get(file);
  if (known !== undefined && known.mark === (await markOf(file))) return known;
  const read = await readRunFile(file);
  const state = stateOf(read.records);
  requireBeginning(file, memory.heads.get(file), state);
  if (read.tornBytes > 0) await cutTornEnd(file, read.bytes);
  // No other process writes while we hold the lock.
  return { ...state, mark: await markOf(file) };
}

/** For readers, in parallel with writers: changes nothing. */
async function observed(memory: Memory, file: string): Promise<FileState> {
  const mark = await markOf(file);
  const known = memory.states.get(file);
  if (known?.mark === mark) return known;
  const head = memory.heads.get(file);
  // A write during this read changes the file's mark, and may have put the head that is known beyond what was read.
  const read = await readRunFile(file);
  const state = { ...stateOf(read.records), mark };
  requireBeginning(file, head, state);
  // The next writer must notice an interrupted write again.
  if (read.tornBytes === 0) remember(memory, file, state);
  return state;
}

async function append(file: string, state: FileState, record: EvidenceRecord): Promise<FileState> {
  const mark = await appendDurably(file, evidenceLine(record), state.hashes.length === 0);
  return { ...withRecords(state, [record]), mark };
}

/** A full disk or a lost volume: retryable, and no mutation happens meanwhile. */
function asFailure(file: string): (error: unknown) => never {
  return (error) => {
    if (failureTypeOf(error) !== null) throw error;
    throw failure('Unavailable', `evidence ${file} cannot be written`, { cause: error });
  };
}
