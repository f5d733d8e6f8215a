/** Labels that all series of a cluster have, and no others. */
export type Match = Readonly<Record<string, string>>;

/** Scrapes of metrics in the time before now. */
export interface RawRequest {
  /** Of samples: a histogram's buckets and its count are two. */
  readonly names: readonly string[];
  readonly pastMs: number;
  readonly match: Match;
}

/**
 * A range selector in PromQL for all these names and clusters: it returns the scrapes themselves, at their own times, which
 * no function does. What it selects may be more than was meant where several labels tell clusters apart.
 */
export function rawSelector(
  names: readonly string[],
  pastMs: number,
  matches: readonly Match[],
): string {
  const labels = [...new Set(matches.flatMap((match) => Object.keys(match)))].sort();
  const selected = labels.map((label) =>
    matcher(
      label,
      matches.map((match) => match[label] ?? ''),
    ),
  );
  return `{${[matcher('__name__', names), ...selected].join(',')}}[${Math.ceil(pastMs)}ms]`;
}

/** Anchored, as all expressions in PromQL are. */
function matcher(label: string, values: readonly string[]): string {
  const escaped = [...new Set(values)].sort().map((value) =>
    // Of the expression first, then of the text that holds it.
    value.replace(/[\\^$.|?*+()[\]{}]/g, String.raw`\$&`).replace(/[\\"]/g, String.raw`\$&`),
  );
  return `${label}=~"${escaped.join('|').replaceAll('\n', String.raw`\n`)}"`;
}
