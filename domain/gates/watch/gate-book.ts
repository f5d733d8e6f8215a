import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import type { Serving } from '../catalogue/gate-catalogue.js';
import type { CountBaseline } from '../counts/count-baseline.js';
import type { CountWatch } from '../counts/count-watch.js';

/**
 * All that a guard remembers of its metric gates: plain JSON, part of its heartbeat. The same book comes from the same
 * rounds, on whichever worker.
 */
export interface GateBook {
  /** Epoch of the fence whose acknowledged failures were cleared last. */
  readonly epoch: number;
  /** The last round in which something was read; null before the first. */
  readonly lastAtMs: number | null;
  readonly setup: string;
  /** Last time at which a step of ours, or whatever changed the setup, was marked in the windows. */
  readonly setupAtMs: number;
  readonly gates: Readonly<Record<string, GateState>>;
  /** Managers of the last round, with those of nodes that it could not see; absent where no pages are read. */
  readonly places?: readonly KnownPlace[];
}

/** A manager that was seen to run on a node. */
export interface KnownPlace {
  readonly node: string;
  readonly place: string;
  readonly serving: Serving;
}

export type GateState = CountState | GaugeState;

/** What a process had counted at its last scrape: start, scrape, bad events, all events. */
export type CountBase = readonly [
  startedAtMs: number,
  scrapedAtMs: number,
  bad: number,
  total: number,
];

interface MaybeAbsent {
  /** When the last round read all pages and none had the series, before any did; such a gate is not unmeasured. */
  readonly absentAtMs?: number;
}

export interface CountState extends MaybeAbsent {
  readonly kind: 'counts';
  /** By place. */
  readonly bases: Readonly<Record<string, CountBase>>;
  /** Null where nothing comparable was counted before. */
  readonly baseline: CountBaseline | null;
  /** Null until a process served its series. */
  readonly watch: CountWatch | null;
  /** What was usual before the first step was known once and is lost; what is usual now must not pass for it. */
  readonly isPastLost?: true;
  /** The last answer of a server with samples that count, be they those of before; absent where pages are read. */
  readonly readAtMs?: number;
  /** Why the last round did not count; empty when it did. */
  readonly why: string;
}

export interface GaugeState extends MaybeAbsent {
  readonly kind: 'gauge';
  /** The last sample; null until a process served its series. */
  readonly latest: GaugePoint | null;
  /** The least since the gauge was last 0, and when it became so low. */
  readonly lowest: GaugePoint | null;
  readonly why: string;
}

export interface GaugePoint {
  readonly atMs: number;
  readonly value: number;
}

export const EMPTY_BOOK: GateBook = {
  epoch: 0,
  lastAtMs: null,
  setup: '',
  setupAtMs: 0,
  gates: {},
};

/** Of a gate that was never read. */
export const EMPTY_COUNTS: CountState = {
  ...{ kind: 'counts', bases: {}, baseline: null, watch: null, why: '' },
};

/** Of gates that count, by name, where a run may have written and nothing is known of the time before. */
export function bookWithoutPast(names: readonly string[]): GateBook {
  const lost: CountState = { ...EMPTY_COUNTS, isPastLost: true };
  return { ...EMPTY_BOOK, gates: Object.fromEntries(names.map((name) => [name, lost])) };
}

export function emptyState({ measure }: CatalogueGate): GateState {
  switch (measure.kind) {
    case 'ratio':
    case 'slow':
      return EMPTY_COUNTS;
    case 'stuck':
    case 'backlog':
      return { kind: 'gauge', latest: null, lowest: null, why: '' };
  }
}
