import type { MetricGatePolicy } from '../../policy.js';
import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { formulaOf } from '../catalogue/measure-text.js';
import { CLOCK_TOLERANCE_MS } from '../samples/difference-counters.js';
import { holdsRun, type GateVerdict } from '../verdicts.js';
import { type Measurement, measured, unmeasured } from '../samples/measurement.js';
import { wholeSeconds } from '../whole-seconds.js';
import { limitOf } from './add-round.js';
import { countRule } from './count-rules.js';
import { emptyState, type GateBook, type GateState } from './gate-book.js';
import { judgeCountState } from './judge-counts.js';
import { judgeGauge } from './judge-gauge.js';
import {
  type Judged,
  type JudgedAt,
  latencyWithoutErrors,
  type NamedGate,
  softVerdict,
  sumWithLongest,
} from './judged.js';

/**
 * What every gate says now, one verdict each, in the order of the catalogue. A gate that was never read is unmeasured; one whose
 * series no process serves is noted; a latency counts only where the gate of its errors does not hold, and a sum of work only as
 * far as the gate of its longest piece says.
 */
export function judgeBook(
  book: GateBook,
  gates: readonly CatalogueGate[],
  policy: MetricGatePolicy,
  at: JudgedAt,
): readonly GateVerdict[] {
  const alone = gates.map((gate) => {
    const state = book.gates[gate.name] ?? emptyState(gate);
    const judged = judgeState(book, state, { gate, gates, policy }, at);
    return { gate, verdict: softVerdict(named(gate), judged, policy, at) };
  });
  const verdicts = new Map(alone.map(({ gate, verdict }) => [gate.name, verdict]));
  return alone.map(({ gate, verdict }) => withOthers(verdict, gate, verdicts));
}

/** Some gates count only together with another one, which may be left out by policy. */
function withOthers(
  verdict: GateVerdict,
  { measure }: CatalogueGate,
  verdicts: ReadonlyMap<string, GateVerdict>,
): GateVerdict {
  switch (measure.kind) {
    case 'slow': {
      const errors = verdicts.get(measure.beside ?? '');
      return errors !== undefined && holdsRun(errors) ? latencyWithoutErrors(verdict) : verdict;
    }
    case 'stuck':
      return measure.decidedBy === null
        ? verdict
        : sumWithLongest(verdict, verdicts.get(measure.decidedBy));
    case 'ratio':
    case 'backlog':
      return verdict;
  }
}

interface GateOf {
  readonly gate: CatalogueGate;
  readonly gates: readonly CatalogueGate[];
  readonly policy: MetricGatePolicy;
}

function judgeState(
  book: GateBook,
  state: GateState,
  { gate, gates, policy }: GateOf,
  at: JudgedAt,
): Judged {
  const now = momentOf(book, policy, at);
  if (now.kind === 'unmeasured') return now;
  switch (state.kind) {
    case 'counts': {
      const rule = countRule(policy, limitOf(gate), gates)(state.baseline);
      return judgeCountState(state, rule, now.value);
    }
    case 'gauge':
      return judgeGauge(state, gate.measure, policy, now.value);
  }
}

/** The moment for which a book is judged, in epoch ms: never before its last round, unless clocks differ by more than they may. */
export function momentOf(
  { lastAtMs }: GateBook,
  { unmeasuredMs }: MetricGatePolicy,
  at: Pick<JudgedAt, 'nowMs'>,
): Measurement<number> {
  if (lastAtMs === null) return unmeasured('no page was read yet');
  // Another worker's clock may be a little behind the one that wrote the book.
  const nowMs = Math.max(at.nowMs, Math.min(lastAtMs, at.nowMs + CLOCK_TOLERANCE_MS));
  return nowMs - lastAtMs > unmeasuredMs
    ? unmeasured(`not read for ${wholeSeconds(nowMs - lastAtMs)}`)
    : measured(nowMs);
}

function named({ name, measure }: CatalogueGate): NamedGate {
  return { name, query: formulaOf(measure) };
}
