/** How long one that asks has to wait for its turn, in milliseconds: turns come at an even pace, in the order of the asking. */
export function openTurns(perSecond: number | null, nowMs: () => number): () => number {
  if (perSecond === null) return () => 0;
  let nextMs = 0;
  return () => {
    const now = nowMs();
    const turnMs = Math.max(now, nextMs);
    nextMs = turnMs + 1000 / perSecond;
    return turnMs - now;
  };
}
