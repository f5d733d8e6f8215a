/** As many requests to the server at a time as one call makes. */
export const AT_ONCE = 32;

/** Works on every item, so many at a time, in their order. All are tried before the first error is thrown. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: PromiseSettledResult<Result>[] = [];
  for (let from = 0; from < items.length; from += AT_ONCE) {
    results.push(...(await Promise.allSettled(items.slice(from, from + AT_ONCE).map(work))));
  }
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
