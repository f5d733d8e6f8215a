/**
 * The result of a gate's measurement. A gate fails closed, so only `pass` opens it: `fail` was measured and is bad,
 * `error` could not be measured, `noData` measured nothing, `inconclusive` measured too little.
 */
export type Verdict = 'pass' | 'inconclusive' | 'noData' | 'error' | 'fail';

/** The verdict of one gate with its evidence. `hard` gates cannot be skipped. */
export interface GateVerdict {
  readonly gate: string;
  readonly hardness: 'hard' | 'soft';
  readonly verdict: Verdict;
  readonly detail: string;
  /** Finding code that a failing verdict raises. */
  readonly code: string;
}

/** Gates about nodes and processes themselves; what cannot be read there hides what others measure. */
const CAUSES: readonly string[] = ['nodesReady', 'quorum'];

/**
 * The verdicts that a person must know, root cause first and each cause once: where a node cannot be read or is not Ready,
 * other gates that merely could not be measured repeat that and are left out.
 */
export function deepestCause(
  verdicts: readonly [GateVerdict, ...GateVerdict[]],
): readonly [GateVerdict, ...GateVerdict[]] {
  const cause = CAUSES.flatMap((gate) => verdicts.filter((each) => each.gate === gate)).at(0);
  if (cause === undefined) return verdicts;
  const others = verdicts.filter((each) => each !== cause && each.verdict === 'fail');
  return [cause, ...others];
}
