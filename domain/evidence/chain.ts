import { canonicalJson, digestText } from '../digest.js';
import { isEvidenceRecord } from './lines.js';
import type { EvidenceRecord, RecordBody } from './record.js';
import type { SignRecord } from './signed-record.js';

/** `previous` of the first record of a run. */
const CHAIN_START = `sha256:${'0'.repeat(64)}`;

/** Length of a chain and the hash of its last record; a run's history keeps it so that a truncated chain is noticed. */
export interface ChainHead {
  readonly records: number;
  readonly hash: string;
}

export const EMPTY_CHAIN: ChainHead = { records: 0, hash: CHAIN_START };

/** Whether a chain with these hashes, in the order of its records, still begins as it was known to. */
export function continuesFrom(known: ChainHead, hashes: readonly string[]): boolean {
  return known.records === 0 || hashes[known.records - 1] === known.hash;
}

export type ChainVerdict =
  | { readonly kind: 'intact'; readonly records: number; readonly head: string }
  /** `at` counts from 0; it is the number of records when the end is missing. */
  | { readonly kind: 'broken'; readonly at: number; readonly why: string };

/** The record that follows `head`, with its hash over all else that it has. */
export function nextRecord(
  head: ChainHead,
  entry: RecordBody['entry'],
  sign: SignRecord | null = null,
): EvidenceRecord {
  const body = { sequence: head.records, previous: head.hash, entry };
  const signed = sign === null ? body : { ...body, signature: sign(body) };
  return { ...signed, hash: hashOf(signed) };
}

/**
 * Proves that no record was changed, dropped, reordered or added. A truncated end and a second history of the same run (a
 * fork) are detected only against `expected`, the head that the run's own history recorded. Also: one intent per id, at most
 * one outcome per intent and never before it, one run per chain.
 */
export function verifyChain(records: readonly unknown[], expected?: ChainHead): ChainVerdict {
  const verdict = verifyNext({ head: EMPTY_CHAIN, run: null, intents: [], outcomes: [] }, records);
  if (verdict.kind === 'broken' || expected === undefined) return verdict;
  return endFault({ records: verdict.records, hash: verdict.head }, expected) ?? verdict;
}

/** What of a chain was verified before: what follows is judged by it. */
export interface VerifiedPart {
  readonly head: ChainHead;
  /** Whose chain it is; null where the first record says so. */
  readonly run: { readonly workflowId: string; readonly runId: string } | null;
  /** Ids of its intents, and of those that have an outcome. */
  readonly intents: Iterable<string>;
  readonly outcomes: Iterable<string>;
}

/** As `verifyChain`, for records that follow a part which was verified. Places and lengths are those of the whole chain. */
export function verifyNext(before: VerifiedPart, records: readonly unknown[]): ChainVerdict {
  const ids: SeenIds = {
    runIds: new Set(before.run === null ? [] : [runName(before.run)]),
    intents: new Set(before.intents),
    outcomes: new Set(before.outcomes),
  };
  let { head } = before;
  for (const record of records) {
    const at = head.records;
    if (!isEvidenceRecord(record)) {
      return { kind: 'broken', at, why: 'it does not have the members of a record' };
    }
    const why = linkFault(record, head) ?? entryFault(record.entry, ids);
    if (why !== null) return { kind: 'broken', at, why };
    head = { records: at + 1, hash: record.hash };
  }
  return { kind: 'intact', records: head.records, head: head.hash };
}

interface SeenIds {
  readonly runIds: Set<string>;
  readonly intents: Set<string>;
  readonly outcomes: Set<string>;
}

function hashOf(body: Omit<EvidenceRecord, 'hash'>): string {
  const { sequence, previous, entry, signature } = body;
  const signed = signature === undefined ? {} : { signature };
  return digestText(canonicalJson({ sequence, previous, entry, ...signed }));
}

function linkFault(record: EvidenceRecord, head: ChainHead): string | null {
  if (record.sequence !== head.records) {
    return `its sequence is ${String(record.sequence)}, expected ${String(head.records)}: a record was dropped, added or moved`;
  }
  if (record.previous !== head.hash) return 'it does not follow the record before it';
  return record.hash === hashOf(record) ? null : 'its hash does not match its content';
}

function entryFault(entry: EvidenceRecord['entry'], seen: SeenIds): string | null {
  if (entry.kind === 'authority') return runFault(entry.authority, seen);
  if (entry.kind === 'intent') {
    const { id } = entry.intent;
    if (seen.intents.has(id)) return `intent ${id} was recorded before`;
    seen.intents.add(id);
    return runFault(entry.intent, seen);
  }
  if (!seen.intents.has(entry.intentId)) return `outcome without its intent ${entry.intentId}`;
  if (seen.outcomes.has(entry.intentId)) return `second outcome of intent ${entry.intentId}`;
  seen.outcomes.add(entry.intentId);
  return null;
}

type RunName = NonNullable<VerifiedPart['run']>;

function runFault(run: RunName, seen: SeenIds): string | null {
  seen.runIds.add(runName(run));
  return seen.runIds.size > 1 ? `it belongs to another run, ${run.runId}` : null;
}

function runName({ workflowId, runId }: RunName): string {
  return `${workflowId} ${runId}`;
}

function endFault(head: ChainHead, expected: ChainHead): ChainVerdict | null {
  const at = Math.min(head.records, expected.records);
  const broken = (why: string): ChainVerdict => ({ kind: 'broken', at, why });
  if (head.records < expected.records) {
    return broken(`the end is missing: ${String(at)} of ${String(expected.records)} records`);
  }
  if (head.records > expected.records) {
    return broken(`it continues after the recorded end of ${String(expected.records)} records`);
  }
  return head.hash === expected.hash
    ? null
    : broken('it differs from the recorded history: a fork');
}
