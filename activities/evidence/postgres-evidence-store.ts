import { setTimeout as sleep } from 'node:timers/promises';
import type { EvidenceAccess } from '../../config/evidence-database.js';
import { nextRecord, verifyNext } from '../../domain/evidence/chain.js';
import { evidenceLine, parseEvidenceLines } from '../../domain/evidence/lines.js';
import type { EvidenceRecord } from '../../domain/evidence/record.js';
import { failure } from '../failures.js';
import { nativeDigest } from '../native-digest.js';
import type { EvidenceStore, RunKey } from './evidence-store.js';
import { type ChainRow, type EvidenceTables, openEvidenceTables } from './evidence-tables.js';
import { hexOf, LONGEST_TEXT } from './kept-texts.js';
import { type EvidenceUse, openEvidenceConnections } from './postgres-connections.js';
import { createWriteQueue, rememberLatest } from './remembered-runs.js';
import type { RecordSigner } from './record-signer.js';
import {
  acceptancesIn,
  brokenChain,
  type EntryFor,
  headOf,
  recordsThrough,
  requireBeginning,
  type ChainState,
  stateOf,
  withRecords,
} from './chain-state.js';

export interface PostgresEvidenceStore extends EvidenceStore {
  /** For people: which database it is. */
  readonly place: string;
  close(): Promise<void>;
}

/** What was verified of a run's chain, and the row that it ended with. */
interface SeenChain {
  readonly state: ChainState;
  readonly last: ChainRow | null;
}

const NOTHING_SEEN: SeenChain = { state: stateOf([]), last: null };

/** More than two workers that write one run get in each other's way. */
const MOST_TRIES = 40;
const LONGEST_PAUSE_MS = 50;

/**
 * Evidence in PostgreSQL, for workers on several hosts: one chain for each run. A record is a row, whose key is its place in
 * the chain, so of two workers that write at once one is told to decide again. Committed when a call returns.
 */
export function createPostgresEvidenceStore(
  access: EvidenceAccess,
  use: EvidenceUse,
  signer: RecordSigner | null = null,
): PostgresEvidenceStore {
  const connections = openEvidenceConnections(access, use);
  const tables = openEvidenceTables(connections);
  const placeOf = ({ workflowId, runId }: RunKey): string =>
    `of ${workflowId} ${runId} in ${connections.place}`;
  const chains = createChainReader(tables, placeOf);
  const inTurn = createWriteQueue();
  return {
    ...recordsThrough(
      (run, entryFor) =>
        inTurn(keyOf(run), () =>
          write({ tables, chains, signer, place: placeOf(run) }, run, entryFor),
        ),
      signer,
    ),
    acceptances: async (run) => acceptancesIn((await chains.seen(run)).state),
    openIntents: async (run) => [...(await chains.seen(run)).state.open.values()],
    head: async (run) => headOf((await chains.seen(run)).state),
    requireContinued: async (run, known) => {
      requireBeginning(placeOf(run), known, (await chains.seen(run)).state);
    },
    read: async (run) => (await wholeChain(tables, run, placeOf(run))).records,
    keepText: (run, text) => keepRow(tables, run, text),
    keptText: async (run, digest) => {
      hexOf(digest);
      const text = await tables.textOf(run, digest, LONGEST_TEXT);
      return text !== null && nativeDigest(text) === digest ? text : null;
    },
    place: connections.place,
    close: () => connections.close(),
  };
}

interface RunTables {
  readonly tables: EvidenceTables;
  readonly chains: ChainReader;
  readonly signer: RecordSigner | null;
  readonly place: string;
}

async function write(
  { tables, chains, signer, place }: RunTables,
  run: RunKey,
  entryFor: EntryFor,
): Promise<void> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const { state } = await chains.seen(run);
    const entry = entryFor(state);
    if (entry === null) return;
    const record = nextRecord(headOf(state), entry, signer?.sign);
    const last = { sequence: record.sequence, hash: record.hash, line: evidenceLine(record) };
    if (await tables.addRow(run, last)) {
      chains.remember(run, { state: withRecords(state, [record]), last });
      return;
    }
    await sleep(Math.random() * LONGEST_PAUSE_MS);
  }
  throw failure(
    'Unavailable',
    `evidence ${place}: other workers were faster ${String(MOST_TRIES)} times`,
  );
}

interface ChainReader {
  /** The chain now, verified. @throws `EvidenceLost` where it is not what this store had seen. */
  seen(run: RunKey): Promise<SeenChain>;
  remember(run: RunKey, chain: SeenChain): void;
}

function createChainReader(tables: EvidenceTables, placeOf: (run: RunKey) => string): ChainReader {
  const memory = new Map<string, SeenChain>();
  const remember = (run: RunKey, chain: SeenChain): void => {
    const known = memory.get(keyOf(run)) ?? NOTHING_SEEN;
    // A slow read ends after a write that it did not see.
    if (known.state.hashes.length > chain.state.hashes.length) return;
    rememberLatest(memory, keyOf(run), chain);
  };
  return {
    remember,
    seen: async (run) => {
      const place = placeOf(run);
      const known = memory.get(keyOf(run)) ?? NOTHING_SEEN;
      let chain = await continued(tables, run, known, place);
      if (chain === null) {
        // Only the whole chain tells what happened to it.
        chain = (await wholeChain(tables, run, place)).chain;
        requireBeginning(place, headOf(known.state), chain.state);
      }
      remember(run, chain);
      return chain;
    },
  };
}

/** Reads what follows the part that was seen; null where it no longer ends there as it did. */
async function continued(
  tables: EvidenceTables,
  run: RunKey,
  known: SeenChain,
  place: string,
): Promise<SeenChain | null> {
  const { last } = known;
  if (last === null) return null;
  const { total, rows } = await tables.rowsFrom(run, last.sequence);
  const [first, ...more] = rows;
  const stands = first?.hash === last.hash && first.line === last.line;
  if (!stands || total !== last.sequence + rows.length) return null;
  return more.length === 0 ? known : followedBy(known, more, run, place).chain;
}

/** Below every sequence: a row that has none of a chain is noticed, too. */
const ALL_ROWS = -(2 ** 31);

async function wholeChain(tables: EvidenceTables, run: RunKey, place: string): Promise<Followed> {
  const { rows } = await tables.rowsFrom(run, ALL_ROWS);
  return followedBy(NOTHING_SEEN, rows, run, place);
}

interface Followed {
  readonly chain: SeenChain;
  /** Those of the rows. */
  readonly records: readonly EvidenceRecord[];
}

/** @throws `PreconditionFailed` where the rows do not continue the chain. */
function followedBy(
  { state, last }: SeenChain,
  rows: readonly ChainRow[],
  run: RunKey,
  place: string,
): Followed {
  const head = headOf(state);
  const records = rows.map((row, index) => recordIn(row, head.records + index, place));
  const intents = [...state.intents.keys()];
  const outcomes = intents.filter((id) => !state.open.has(id));
  const verdict = verifyNext({ head, run, intents, outcomes }, records);
  if (verdict.kind === 'broken') throw brokenChain(place, verdict);
  return { chain: { state: withRecords(state, records), last: rows.at(-1) ?? last }, records };
}

/** The record of a row, read as strictly as a line of a file; its columns say what it says. */
function recordIn({ hash, line, sequence }: ChainRow, at: number, place: string): EvidenceRecord {
  const parsed = parseEvidenceLines(line);
  if (parsed.kind === 'broken') throw brokenChain(place, { at, why: parsed.why });
  const [record, ...more] = parsed.records;
  if (record === undefined || more.length > 0 || parsed.torn !== '') {
    throw brokenChain(place, { at, why: 'its row does not hold one whole line' });
  }
  if (record.hash !== hash || record.sequence !== sequence) {
    throw brokenChain(place, { at, why: 'the columns of its row differ from its line' });
  }
  return record;
}

/** A text that was changed in the database cannot be kept again: this user may only add. */
async function keepRow(tables: EvidenceTables, run: RunKey, text: string): Promise<void> {
  const digest = nativeDigest(text);
  if (await tables.addText(run, digest, text)) return;
  if ((await tables.textOf(run, digest, LONGEST_TEXT)) === text) return;
  throw failure(
    'PreconditionFailed',
    `the text ${digest} of ${run.workflowId} ${run.runId} was changed in the database: its owner deletes that row of evidence.texts, then retry`,
  );
}

function keyOf({ workflowId, runId }: RunKey): string {
  return JSON.stringify([workflowId, runId]);
}
