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
