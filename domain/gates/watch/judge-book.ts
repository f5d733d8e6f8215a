import type { MetricGatePolicy } from '../../policy.js';
import type { CatalogueGate } from '../catalogue/catalogue-gate.js';
import { formulaOf } from '../catalogue/measure-text.js';
import { CLOCK_TOLERANCE_MS } from '../samples/difference-counters.js';
import { holdsRun, type GateVerdict } from '../verdicts.js';
import { METRIC_CODES } from '../soft-codes.js';
import { wholeSeconds } from '../whole-seconds.js';
import { ruleOf } from './add-round.js';
import { emptyState, type GateBook, type GateState } from './gate-book.js';
import { judgeCountState } from './judge-counts.js';
import { judgeGauge } from './judge-gauge.js';
import { latencyWithoutErrors, sumWithLongest, type Judged } from './judged.js';

export interface JudgedAt {
  readonly nowMs: number;
  /** What was read, for people: `kcm on cp-1, ccm on cp-2`. */
  readonly source: string;
}

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
    return { gate, verdict: verdictFrom(gate, judged, policy, at) };
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
  if (book.lastAtMs === null) return { kind: 'unmeasured', why: 'no page was read yet' };
  // Another worker's clock may be a little behind the one that wrote the book.
  const nowMs = Math.max(at.nowMs, Math.min(book.lastAtMs, at.nowMs + CLOCK_TOLERANCE_MS));
  if (nowMs - book.lastAtMs > policy.unmeasuredMs) {
    return { kind: 'unmeasured', why: `not read for ${wholeSeconds(nowMs - book.lastAtMs)}` };
  }
  switch (state.kind) {
    case 'counts':
      return judgeCountState(state, ruleOf(gates, policy, gate)(state.baseline), nowMs);
    case 'gauge':
      return judgeGauge(state, gate.measure, policy, nowMs);
  }
}

function verdictFrom(
  gate: CatalogueGate,
  judged: Judged,
  policy: MetricGatePolicy,
  { source }: JudgedAt,
): GateVerdict {
  const head = { gate: gate.name, hardness: 'soft' } as const;
  const query = formulaOf(gate.measure);
  switch (judged.kind) {
    case 'unmeasured':
      return { ...head, verdict: 'error', detail: judged.why, code: METRIC_CODES.unmeasured };
    case 'absent':
      return {
        ...{ ...head, verdict: 'noData', detail: judged.why, code: METRIC_CODES.unmeasured },
        noted: true,
      };
    case 'quiet':
      return {
        ...{ ...head, verdict: 'inconclusive', detail: judged.detail, code: METRIC_CODES.suspect },
        ...(policy.quiet === 'note' ? { noted: true as const } : {}),
        numbers: { ...judged.numbers, source, query },
      };
    case 'suspect':
      return {
        ...{ ...head, verdict: 'inconclusive', detail: judged.detail, code: METRIC_CODES.suspect },
        numbers: { ...judged.numbers, source, query },
      };
    case 'pass':
    case 'fail':
      return {
        ...{ ...head, verdict: judged.kind, detail: judged.detail, code: METRIC_CODES.fail },
        numbers: { ...judged.numbers, source, query },
      };
  }
}
