import { digestJson } from '../../domain/digest.js';
import {
  type ChainHead,
  type ChainVerdict,
  continuesFrom,
  EMPTY_CHAIN,
} from '../../domain/evidence/chain.js';
import type {
  EvidenceAuthority,
  EvidenceIntent,
  EvidenceOutcome,
  EvidenceRecord,
  RecordBody,
} from '../../domain/evidence/record.js';
import { redact } from '../../domain/redaction.js';
import { failure } from '../failures.js';
import type { EvidenceStore, RunKey } from './evidence-store.js';
import type { RecordSigner } from './record-signer.js';

/** What is known of a verified chain: enough to decide what may follow it. Wherever it is kept. */
export interface ChainState {
  /** Hash of each record, in their order. */
  readonly hashes: readonly string[];
  /** Digest of each intent by id. */
  readonly intents: ReadonlyMap<string, string>;
  /** Where it is said how each ended, by its id. */
  readonly outcomes: ReadonlyMap<string, EvidenceRecord>;
  /** Those without outcome by id, oldest first. */
  readonly open: ReadonlyMap<string, EvidenceIntent>;
  /** Where it is said what was allowed or refused, by what it says, whenever it was. */
  readonly authorities: ReadonlyMap<string, readonly EvidenceRecord[]>;
}

type EvidenceEntry = RecordBody['entry'];

/** What follows a chain in this state; null: nothing, because it is there already. */
export type EntryFor = (state: ChainState) => EvidenceEntry | null;

/**
 * The part of a store that records, without secrets. `write` appends what is decided on the state that the chain has then. What
 * a worker with a key recorded is there only once it has signed it: another may have been planted.
 */
export function recordsThrough(
  write: (run: RunKey, entryFor: EntryFor) => Promise<void>,
  signer: RecordSigner | null,
): Pick<EvidenceStore, 'keyId' | 'begin' | 'finish' | 'recordAuthority'> {
  // Of this process, until they have an outcome: another worker ends one only where it has taken over.
  const begun = new Set<string>();
  return {
    keyId: signer?.keyId ?? '',
    begin: async (intent) => {
      const clean = withoutSecrets(intent);
      await write(intent, (state) => intentEntry(state, clean));
      begun.add(intent.id);
    },
    finish: async (run, intentId, outcome) => {
      const clean: EvidenceOutcome = { ...outcome, detail: redact(outcome.detail) };
      const isOfOther = (there: EvidenceRecord): boolean =>
        signer !== null && begun.has(intentId) && !signer.isOwn(there);
      await write(run, (state) => outcomeEntry(state, intentId, clean, isOfOther));
      begun.delete(intentId);
    },
    recordAuthority: (authority) => {
      const clean = {
        ...authority,
        actor: redact(authority.actor),
        detail: redact(authority.detail),
      };
      return write(authority, ({ authorities }) => {
        const same = authorities.get(timeless(clean)) ?? [];
        const isThere = same.some((record) => signer === null || signer.isOwn(record));
        return isThere ? null : { kind: 'authority', authority: clean };
      });
    },
  };
}

/** The state of a chain with these records. */
export function stateOf(records: readonly EvidenceRecord[]): ChainState {
  const nothing = {
    ...{ intents: new Map(), outcomes: new Map(), open: new Map(), authorities: new Map() },
  };
  return withRecords({ hashes: [], ...nothing }, records);
}

/** The state after these records. */
export function withRecords(state: ChainState, records: readonly EvidenceRecord[]): ChainState {
  const intents = new Map(state.intents);
  const outcomes = new Map(state.outcomes);
  const open = new Map(state.open);
  const authorities = new Map(state.authorities);
  for (const record of records) {
    const { entry } = record;
    switch (entry.kind) {
      case 'intent':
        intents.set(entry.intent.id, digestJson(entry.intent));
        open.set(entry.intent.id, entry.intent);
        break;
      case 'outcome':
        open.delete(entry.intentId);
        outcomes.set(entry.intentId, record);
        break;
      case 'authority': {
        const said = timeless(entry.authority);
        authorities.set(said, [...(authorities.get(said) ?? []), record]);
      }
    }
  }
  const hashes = [...state.hashes, ...records.map(({ hash }) => hash)];
  return { hashes, intents, outcomes, open, authorities };
}

/** Records that say that a statement was accepted. */
export function acceptancesIn({ authorities }: ChainState): readonly EvidenceRecord[] {
  return [...authorities.values()]
    .flat()
    .filter(({ entry }) => entry.kind === 'authority' && entry.authority.verdict === 'accepted');
}

export function headOf({ hashes }: Pick<ChainState, 'hashes'>): ChainHead {
  const hash = hashes.at(-1);
  return hash === undefined ? EMPTY_CHAIN : { records: hashes.length, hash };
}

/** @throws `EvidenceLost` when the chain at `place` does not begin as it was known to. */
export function requireBeginning(
  place: string,
  known: ChainHead | undefined,
  { hashes }: Pick<ChainState, 'hashes'>,
): void {
  if (known === undefined || continuesFrom(known, hashes)) return;
  const had = `${String(known.records)} records, the last ${known.hash}`;
  const there = hashes[known.records - 1];
  const has =
    there === undefined
      ? `${String(hashes.length)} are there`
      : `record ${String(known.records)} is ${there}`;
  // It may be noticed after a change, when its outcome is to be recorded.
  throw failure('EvidenceLost', `evidence ${place} had ${had}; ${has}. Nothing more is changed`, {
    details: { known, found: headOf({ hashes }) },
  });
}

/** What a chain at `place` that does not verify is answered with: nothing is appended to it. */
export function brokenChain(
  place: string,
  { at, why }: Pick<Extract<ChainVerdict, { kind: 'broken' }>, 'at' | 'why'>,
): Error {
  return failure(
    'PreconditionFailed',
    `evidence ${place} is broken at record ${String(at)}: ${why}. Bring it back from a copy, then retry; or keep it for the audit, stop this run and start another`,
    { details: { at, why } },
  );
}

function timeless(authority: EvidenceAuthority): string {
  return digestJson({ ...authority, at: '' });
}

function intentEntry({ intents }: ChainState, intent: EvidenceIntent): EvidenceEntry | null {
  const known = intents.get(intent.id);
  if (known === undefined) return { kind: 'intent', intent };
  if (known === digestJson(intent)) return null;
  throw failure('Bug', `intent ${intent.id} is already recorded, with other content`);
}

function outcomeEntry(
  state: ChainState,
  intentId: string,
  outcome: EvidenceOutcome,
  isOfOther: (there: EvidenceRecord) => boolean,
): EvidenceEntry | null {
  if (!state.intents.has(intentId)) throw failure('Bug', `no intent ${intentId} was recorded`);
  const there = state.outcomes.get(intentId);
  if (there === undefined) return { kind: 'outcome', intentId, outcome };
  if (!isOfOther(there)) return null;
  throw failure(
    'EvidenceLost',
    `record ${String(there.sequence)} of the evidence ends intent ${intentId}, and this worker, which began it, did not write that: it was planted, or another worker has taken over. It was ${outcome.kind}. Nothing more is changed`,
    { details: { intentId, outcome: outcome.kind } },
  );
}

function withoutSecrets(intent: EvidenceIntent): EvidenceIntent {
  const { actor, reason, object, proof, diff } = intent;
  return {
    ...intent,
    actor: redact(actor),
    reason: redact(reason),
    object: redact(object),
    proof: redact(proof),
    ...(diff === undefined ? {} : { diff: redact(diff) }),
  };
}
