import type { MetricGatePolicy } from '../../policy.js';
import { METRIC_CODES } from '../soft-codes.js';
import type { GateNumbers, GateVerdict } from '../verdicts.js';

/** Numbers without what the caller knows: where they come from. */
export type OwnNumbers = Omit<GateNumbers, 'source' | 'query'>;

interface WithNumbers {
  readonly detail: string;
  readonly numbers: OwnNumbers;
}

/** What one gate says, before policy is applied. */
export type Judged =
  | ({ readonly kind: 'pass' } & WithNumbers)
  /** Too little to say anything, and no reason to hold. */
  | ({ readonly kind: 'quiet' } & WithNumbers)
  | ({ readonly kind: 'suspect' } & WithNumbers)
  | ({ readonly kind: 'fail' } & WithNumbers)
  /** Nothing serves the series, and nothing did. */
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'unmeasured'; readonly why: string };

export interface JudgedAt {
  readonly nowMs: number;
  /** What was read, for people: `kcm on cp-1, ccm on cp-2`. */
  readonly source: string;
}

/** A gate by its name, with what it is measured by. */
export interface NamedGate {
  readonly name: string;
  readonly query: string;
}

/** The verdict of a gate, once policy is applied to what it says. */
export function softVerdict(
  { name, query }: NamedGate,
  judged: Judged,
  { quiet }: Pick<MetricGatePolicy, 'quiet'>,
  { source }: JudgedAt,
): GateVerdict {
  const head = { gate: name, hardness: 'soft' } as const;
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
        ...(quiet === 'note' ? { noted: true as const } : {}),
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

/**
 * A sum beyond its limit is harm only where one piece of it is, too: what is known of the longest piece decides, and without it
 * the sum stays a suspicion.
 */
export function sumWithLongest(sum: GateVerdict, longest: GateVerdict | undefined): GateVerdict {
  if (sum.code !== METRIC_CODES.suspect) return sum;
  const code = METRIC_CODES.fail;
  switch (longest?.verdict) {
    case 'pass':
      return { ...sum, verdict: 'pass', code, detail: `${sum.detail}; no piece of it alone` };
    case 'fail':
      return { ...sum, verdict: 'fail', code, detail: `${sum.detail}; one piece of it alone, too` };
    case undefined:
    case 'noData':
    case 'error':
    case 'inconclusive':
      return { ...sum, detail: `${sum.detail}; how long one piece has taken is not known` };
  }
}

/** Failed calls are fast, so quick ones prove nothing while errors are not known to be few. */
export function latencyWithoutErrors(verdict: GateVerdict): GateVerdict {
  if (verdict.verdict !== 'pass') return verdict;
  return {
    ...verdict,
    verdict: 'inconclusive',
    noted: true,
    detail: `${verdict.detail}; failed calls are fast, and the gate of their errors does not pass`,
  };
}
