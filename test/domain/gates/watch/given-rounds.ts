import type { CatalogueGate } from '../../../../domain/gates/catalogue/catalogue-gate.js';
import { GATE_CATALOGUE } from '../../../../domain/gates/catalogue/gate-catalogue.js';
import { scrapeFromPage } from '../../../../domain/gates/samples/process-scrape.js';
import type { GateVerdict } from '../../../../domain/gates/verdicts.js';
import { addRound } from '../../../../domain/gates/watch/add-round.js';
import { EMPTY_BOOK, type GateBook } from '../../../../domain/gates/watch/gate-book.js';
import type { PlaceReading } from '../../../../domain/gates/watch/gate-round.js';
import { judgeBook } from '../../../../domain/gates/watch/judge-book.js';
import { wantedFor } from '../../../../domain/gates/watch/measured-values.js';
import type { MetricGatePolicy } from '../../../../domain/policy.js';

export const SECOND = 1_000;
export const BEGAN = 1_700_000_000_000;

export const POLICY: MetricGatePolicy = {
  ...{ catalogue: 'nodes', except: [], everyMs: 15 * SECOND, unmeasuredMs: 120 * SECOND },
  ...{ quiet: 'note', falseAlarms: 0.01, tolerance: 1.5 },
};

export function gatesNamed(...names: readonly string[]): readonly CatalogueGate[] {
  return GATE_CATALOGUE.filter(({ name }) => names.includes(name));
}

/** Text of a page; `null` cannot be read. */
export interface GivenPlace {
  readonly place?: string;
  readonly text: string | null;
  readonly owns?: boolean;
  readonly minor?: number;
  readonly provider?: string;
  readonly startedAtMs?: number;
}

/** A round `seconds` after the beginning. */
export interface GivenRound {
  readonly seconds: number;
  readonly setup?: string | null;
  readonly places: readonly GivenPlace[];
  /** Nodes that could not be seen. */
  readonly unseen?: readonly string[];
  /** That of a machine which is being added. */
  readonly isNew?: boolean;
}

const STARTED = BEGAN - 3_600 * SECOND;

export function addGiven(
  book: GateBook,
  gates: readonly CatalogueGate[],
  { seconds, setup = 'same', places, unseen = [], isNew = false }: GivenRound,
): GateBook {
  const atMs = BEGAN + seconds * SECOND;
  const readings = places.map((given) => readingOf(given, gates, atMs));
  const hidden = unseen.map((node) => ({ node, isNew }));
  return addRound(book, gates, { atMs, setup, places: readings, unseen: hidden }, POLICY);
}

function readingOf(
  { place = 'kcm on cp-1', text, owns = true, minor = 30, provider, startedAtMs }: GivenPlace,
  gates: readonly CatalogueGate[],
  atMs: number,
): PlaceReading {
  const manager = place.startsWith('kcm') ? 'kcm' : 'ccm';
  const start = `process_start_time_seconds ${String((startedAtMs ?? STARTED) / SECOND)}\n`;
  const wanted = gates.flatMap(({ measure }) => wantedFor(measure));
  const once = [...new Map(wanted.map((each) => [each.name, each])).values()];
  return {
    ...{
      node: place.replace(/^.* on /, ''),
      place,
      owns,
      serving: { manager, minor, provider: provider ?? null },
    },
    scrape:
      text === null
        ? { kind: 'unmeasured', why: 'no route' }
        : scrapeFromPage(`${start}${text}`, once, { place, scrapedAtMs: atMs }),
  };
}

export function booked(
  gates: readonly CatalogueGate[],
  rounds: readonly GivenRound[],
  before: GateBook = EMPTY_BOOK,
): GateBook {
  return rounds.reduce((book, round) => addGiven(book, gates, round), before);
}

export function judgedAt(
  book: GateBook,
  gates: readonly CatalogueGate[],
  seconds: number,
  policy: MetricGatePolicy = POLICY,
): readonly GateVerdict[] {
  return judgeBook(book, gates, policy, { nowMs: BEGAN + seconds * SECOND, source: 'kcm on cp-1' });
}

/** Counts of node syncs. */
export function syncs(bad: number, total: number): string {
  return `service_controller_nodesync_error_total ${String(bad)}\nservice_controller_loadbalancer_sync_total ${String(total)}\n`;
}

export function gauge(metric: string, queue: string, value: number | string): string {
  return `workqueue_${metric}{name="${queue}"} ${String(value)}\n`;
}

export const ERRORS = gatesNamed('nodeSyncErrors');
export const LATENCY = gatesNamed('nodeSyncErrors', 'nodeSyncLatency');
export const STUCK = gatesNamed('serviceProcessorStuck');

/** Every 15 s so many events, of which so many are bad. */
export function steady(count: number, bad: number, total: number, from = 0): readonly GivenRound[] {
  return Array.from({ length: count }, (_, index) => ({
    seconds: from + 15 * index,
    places: [{ text: syncs(bad * index, 1_000 + total * index) }],
  }));
}

/** What the only gate, or the first of them, says. */
export function only(
  book: GateBook,
  gates: readonly CatalogueGate[],
  seconds: number,
): GateVerdict | undefined {
  return judgedAt(book, gates, seconds)[0];
}
