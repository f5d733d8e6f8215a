/** Counts of a Prometheus histogram: of each upper bound, how many values were not above it. */
export interface Histogram {
  readonly bounds: readonly { readonly atMost: number; readonly count: number }[];
}

/** The histogram of that name in a page of metrics, all label sets together; without bounds when it is not there. */
export function readHistogram(page: string, name: string): Histogram {
  const counts = new Map<number, number>();
  for (const line of page.split('\n')) {
    if (!line.startsWith(`${name}_bucket{`)) continue;
    const [, bound = '', count = ''] = /[{,]le="([^"]+)".*\} (\S+)/.exec(line) ?? [];
    const atMost = bound === '+Inf' ? Infinity : Number(bound);
    counts.set(atMost, (counts.get(atMost) ?? 0) + Number(count));
  }
  const bounds = [...counts].map(([atMost, count]) => ({ atMost, count }));
  return { bounds: bounds.toSorted((one, other) => one.atMost - other.atMost) };
}

/** What was counted between two readings. */
export function countedSince(before: Histogram, now: Histogram): Histogram {
  const earlier = new Map(before.bounds.map(({ atMost, count }) => [atMost, count]));
  return {
    bounds: now.bounds.map(({ atMost, count }) => ({
      atMost,
      count: count - (earlier.get(atMost) ?? 0),
    })),
  };
}

/**
 * A value that at least this share of all does not exceed: the upper bound of its bucket, so never too good. Null without
 * values, or where it lies above the largest bound.
 */
export function boundOfShare({ bounds }: Histogram, share: number): number | null {
  const total = bounds.at(-1)?.count ?? 0;
  const bound = bounds.find(({ count }) => count > 0 && count >= share * total);
  return bound === undefined || bound.atMost === Infinity ? null : bound.atMost;
}
