import type { MetricGatePolicy, OwnCountGate } from '../../policy.js';
import { digestText } from '../../digest.js';
import { judgedCatalogue } from '../catalogue/gate-catalogue.js';
import type { CountBaseline } from '../counts/count-baseline.js';
import { type Measurement, unmeasured } from '../samples/measurement.js';
import type { GateVerdict } from '../verdicts.js';
import { withStates } from '../watch/add-round.js';
import { afterSamples, type SampleContext } from '../watch/after-samples.js';
import { usualBy } from '../watch/count-round.js';
import { countRule, type RuleFor } from '../watch/count-rules.js';
import {
  type CountState,
  EMPTY_COUNTS,
  type GateBook,
  type GateState,
} from '../watch/gate-book.js';
import { judgeCountState } from '../watch/judge-counts.js';
import { momentOf } from '../watch/judge-book.js';
import { type Judged, type JudgedAt, softVerdict } from '../watch/judged.js';
import type { OwnCounts } from './count-reading.js';

/** What a round read of one gate. */
export interface CountReading {
  readonly gate: OwnCountGate;
  readonly counts: Measurement<OwnCounts>;
  /** The server's clock where it tells its time, else ours, epoch ms. */
  readonly clockMs: number;
  /** A scrape that is older says nothing about now. */
  readonly staleAfterMs: number;
  /** What the server has stored of the time before the first round; null where nothing, and after that round. */
  readonly past: CountBaseline | null;
}

interface CountRound {
  /** The worker's clock. */
  readonly atMs: number;
  /** As of a `GateRound`. */
  readonly setup: string | null;
}

/** Whether what is usual for this gate is still to be asked for. */
export function isUnbegun({ gates }: GateBook, { name }: OwnCountGate): boolean {
  return countStateOf(gates[name]).watch === null;
}

function countStateOf(state: GateState | undefined): CountState {
  return state?.kind === 'counts' ? state : EMPTY_COUNTS;
}

/** The book after a round; gates that the policy no longer has are gone. Windows begin at steps, as those of the catalogue do. */
export function afterCountRound(
  book: GateBook,
  readings: readonly CountReading[],
  round: CountRound,
  policy: MetricGatePolicy,
): GateBook {
  return withStates(book, round, (since) =>
    readings.map((reading): [string, GateState] => {
      const { gate, past } = reading;
      const usual: SampleContext['usual'] = (lifetime) => past ?? usualBy(lifetime);
      const context = { ...since, ruleFor: ruleOf(gate, policy), usual, keyOf: shortOf };
      return [gate.name, stateAfter(countStateOf(book.gates[gate.name]), reading, round, context)];
    }),
  );
}

const LONGEST_WHY = 200;

function stateAfter(
  state: CountState,
  { counts, clockMs, staleAfterMs }: CountReading,
  { atMs }: CountRound,
  context: SampleContext,
): CountState {
  if (counts.kind === 'unmeasured') return { ...state, why: counts.why.slice(0, LONGEST_WHY) };
  const { samples } = counts.value;
  const unread = unreadTarget(state, counts.value);
  if (unread !== null) return { ...state, why: `${unread} cannot be scraped` };
  const next = afterSamples(state, { atMs, clockMs, staleAfterMs, samples }, context);
  return next.why === '' ? { ...next, readAtMs: atMs } : next;
}

/** A target that counted before and cannot be scraped may hide harm. */
function unreadTarget({ bases }: CountState, { down }: OwnCounts): string | null {
  return down.find((target) => Object.hasOwn(bases, shortOf(target))) ?? null;
}

/** Dozens of targets travel in a heartbeat. */
function shortOf(target: string): string {
  return digestText(target).slice('sha256:'.length, 'sha256:'.length + 12);
}

function ruleOf(gate: OwnCountGate, policy: MetricGatePolicy): RuleFor {
  return countRule(policy, shareOf(gate), judgedCatalogue(policy));
}

/** The most of all events that may be bad. */
function shareOf(gate: OwnCountGate): number {
  switch (gate.kind) {
    case 'ratio':
      return gate.limit;
    case 'quantile':
      return Number((1 - gate.quantile).toPrecision(12));
  }
}

/** What the gate says now. */
export function judgeCountGate(
  book: GateBook,
  gate: OwnCountGate,
  policy: MetricGatePolicy,
  at: JudgedAt,
): GateVerdict {
  const state = countStateOf(book.gates[gate.name]);
  const judged = judgedState(book, state, { gate, policy }, at);
  return softVerdict({ name: gate.name, query: formulaOf(gate) }, judged, policy, at);
}

function judgedState(
  book: GateBook,
  state: CountState,
  { gate, policy }: { readonly gate: OwnCountGate; readonly policy: MetricGatePolicy },
  at: JudgedAt,
): Judged {
  const { readAtMs, why } = state;
  if (readAtMs === undefined) return unmeasured(why === '' ? 'not queried yet' : why);
  const now = momentOf(book, policy, at);
  if (now.kind === 'unmeasured') return why === '' ? now : unmeasured(why);
  const agoMs = now.value - readAtMs;
  if (agoMs > policy.unmeasuredMs) {
    return unmeasured(why);
  }
  const rule = { ...ruleOf(gate, policy)(state.baseline), staleAfterMs: agoMs + MOST_STALE_MS };
  return judgeCountState(state, rule, now.value);
}

/** A reading refuses scrapes that are too old itself; between them the windows wait. The inventory allows no more. */
const MOST_STALE_MS = 600_000;

/** What is counted, for people. */
function formulaOf(gate: OwnCountGate): string {
  switch (gate.kind) {
    case 'ratio':
      return `${gate.bad} / ${gate.total}`;
    case 'quantile':
      return `${gate.histogram} above ${String(gate.limit)}`;
  }
}
