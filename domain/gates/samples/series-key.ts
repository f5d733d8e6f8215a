/** Labels as one text that is the same for the same labels in any order. */
export function seriesKey(labels: ReadonlyMap<string, string>): string {
  const pairs = [...labels].map(([name, value]) => `${name}=${JSON.stringify(value)}`).sort();
  return `{${pairs.join(',')}}`;
}
