/** Each takes a few requests, and one without a worker a few seconds. */
const READS_AT_ONCE = 16;

/** Reads each of them, so many at the same time; results are in their order. */
export async function readAtOnce<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < items.length; at += READS_AT_ONCE) {
    results.push(...(await Promise.all(items.slice(at, at + READS_AT_ONCE).map(read))));
  }
  return results;
}
