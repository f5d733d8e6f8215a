import type { OwnGauge, OwnLimit } from '../../policy.js';
import type { GateBook } from '../watch/gate-book.js';
import type { OwnSample } from './gauge-query.js';

/** All that a guard remembers of the operator's own gates: plain JSON, part of its heartbeat. */
export interface OwnBook {
  /** The last round that ended, epoch ms by the worker's clock, whatever it read; null before the first. */
  readonly lastAtMs: number | null;
  /** Gauges by the name of the gate. */
  readonly gates: Readonly<Record<string, OwnGaugeState>>;
  /** Gates that count; absent before their first round. */
  readonly counted?: GateBook;
}

export interface OwnGaugeState {
  /** The newest sample; null before the first. */
  readonly latest: LatestSample | null;
  /** Scrapes in a row beyond the limit, and the time of the first; null where the latest is within it. */
  readonly beyond: { readonly scrapes: number; readonly sinceMs: number } | null;
  /** Whether the last answer held no sample that counts: then nothing before it counts either. */
  readonly refused: boolean;
  /** Why the last round read nothing; empty when it did. */
  readonly why: string;
}

/** By the worker's clock, epoch ms. */
export interface LatestSample extends OwnSample {
  readonly seenAtMs: number;
  /** The last answer that held it. */
  readonly readAtMs: number;
}

export const EMPTY_OWN_BOOK: OwnBook = { lastAtMs: null, gates: {} };

/** What came of one query: a sample, an answer that is none, or no answer at all. */
export type OwnReading =
  | { readonly kind: 'measured'; readonly value: OwnSample }
  | { readonly kind: 'unmeasured'; readonly why: string }
  | { readonly kind: 'unanswered'; readonly why: string };

interface ReadAt {
  /** The worker's clock. */
  readonly atMs: number;
  readonly staleAfterMs: number;
}

const UNREAD: OwnGaugeState = {
  ...{ latest: null, beyond: null, refused: false, why: '' },
};

/** The gate's state in a book; an empty one before its first round. */
export function stateIn({ gates }: OwnBook, { name }: Pick<OwnGauge, 'name'>): OwnGaugeState {
  return gates[name] ?? UNREAD;
}

/** The book after a round; gates that the policy no longer has are gone. */
export function afterOwnRound(
  book: OwnBook,
  readings: readonly { readonly gate: OwnGauge; readonly reading: OwnReading }[],
  at: ReadAt,
): OwnBook {
  const gates = readings.map(({ gate, reading }): [string, OwnGaugeState] => [
    gate.name,
    afterReading(stateIn(book, gate), gate.limit, reading, at),
  ]);
  return { ...book, lastAtMs: at.atMs, gates: Object.fromEntries(gates) };
}

/** A query without answer may be late; an answer without a sample says that there is none. */
function afterReading(
  state: OwnGaugeState,
  limit: OwnLimit,
  reading: OwnReading,
  { atMs, staleAfterMs }: ReadAt,
): OwnGaugeState {
  switch (reading.kind) {
    case 'unanswered':
      return { ...state, why: shortened(reading.why) };
    case 'unmeasured':
      return { ...state, refused: true, why: shortened(reading.why) };
    case 'measured':
      return afterSample(state, limit, reading.value, { atMs, staleAfterMs });
  }
}

function afterSample(
  state: OwnGaugeState,
  limit: OwnLimit,
  sample: OwnSample,
  { atMs, staleAfterMs }: ReadAt,
): OwnGaugeState {
  const { latest } = state;
  const isOld = latest !== null && atMs - latest.seenAtMs > staleAfterMs;
  if (isOld && latest.scrapedAtMs === sample.scrapedAtMs) {
    return { ...state, refused: true, why: 'the same scrape is answered again and again' };
  }
  const read = { ...state, refused: false, why: '' };
  // The same scrape again, or one of a replica that is behind, is no further evidence.
  if (latest !== null && !isOld && sample.scrapedAtMs <= latest.scrapedAtMs) {
    return { ...read, latest: { ...latest, readAtMs: atMs } };
  }
  return {
    ...read,
    latest: { ...sample, seenAtMs: atMs, readAtMs: atMs },
    beyond: isBeyond(sample.value, limit) ? further(isOld ? null : state.beyond, sample) : null,
  };
}

function further(
  before: OwnGaugeState['beyond'],
  { scrapedAtMs }: OwnSample,
): {
  readonly scrapes: number;
  readonly sinceMs: number;
} {
  return { scrapes: (before?.scrapes ?? 0) + 1, sinceMs: before?.sinceMs ?? scrapedAtMs };
}

function isBeyond(value: number, limit: OwnLimit): boolean {
  return 'above' in limit ? value > limit.above : value < limit.below;
}

const LONGEST_WHY = 200;

function shortened(why: string): string {
  return why.slice(0, LONGEST_WHY);
}
