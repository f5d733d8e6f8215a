/** What selectors, caps and correlated failures know of a cluster: its labels, and its region as one. */
export function clusterLabels({
  region,
  labels,
}: {
  readonly region: string;
  readonly labels: Readonly<Record<string, string>>;
}): ReadonlyMap<string, string> {
  return new Map([['region', region], ...Object.entries(labels)]);
}

/** As `label=value`. The rule splits a group at its first "=". */
export function groupsOf(labels: ReadonlyMap<string, string>): readonly string[] {
  return [...labels].flatMap(([key, value]) => (key.includes('=') ? [] : [`${key}=${value}`]));
}
