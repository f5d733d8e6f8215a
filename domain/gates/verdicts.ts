/**
 * The result of a gate's measurement. A gate fails closed, so only `pass` opens it: `fail` was measured and is bad,
 * `error` could not be measured, `noData` measured nothing, `inconclusive` measured too little.
 */
export type Verdict = (typeof VERDICTS)[number];

export const VERDICTS = ['pass', 'inconclusive', 'noData', 'error', 'fail'] as const;

/** The verdict of one gate with its evidence. `hard` gates cannot be skipped. */
export interface GateVerdict {
  readonly gate: string;
  readonly hardness: 'hard' | 'soft';
  readonly verdict: Verdict;
  readonly detail: string;
  /** Finding code that a failing verdict raises. */
  readonly code: string;
  /** Too little was counted to say anything, and nothing of it was bad: a note, which holds nothing. */
  readonly noted?: true;
  readonly numbers?: GateNumbers;
}

/** What a verdict on metrics rests on. Times are epoch ms. */
export interface GateNumbers {
  /** `ratio`: bad events of all, 0 to 1. `own`: whatever the operator's expression results in. */
  readonly unit: 'ratio' | 'seconds' | 'items' | 'own';
  /** Null without events, or without a sample. */
  readonly value: number | null;
  readonly limit: number | null;
  readonly window: { readonly fromMs: number; readonly toMs: number } | null;
  /** Only of counted events. */
  readonly counted?: CountedNumbers;
  /** Processes that were read, for example `kcm on cp-1`, or the host that was asked. */
  readonly source: string;
  /** What is measured, as a formula over the series; its digest is in evidence. */
  readonly query: string;
}

export interface CountedNumbers {
  readonly bad: number;
  readonly events: number;
  /** What was counted before our first step; null where nothing is comparable. */
  readonly before: { readonly bad: number; readonly events: number } | null;
  /** So many windows of good events contain one like it, and how many there must be to fail. */
  readonly oneIn: number;
  readonly needed: number;
  /** Least ratio of harm that would have shown since our latest step; null if none would. */
  readonly visible: number | null;
}

/** Whether a verdict keeps a run from going on. Only a pass, or a note, does not. */
export function holdsRun({ verdict, noted }: Pick<GateVerdict, 'verdict' | 'noted'>): boolean {
  return verdict !== 'pass' && (noted !== true || verdict === 'fail');
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
