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
