/**
 * Where a list begins to satisfy something that stays so from there to its end, by halving; its length where nothing does. A
 * sorted list is such a one for whatever comes before or after a value.
 */
export function firstWhere<Item extends object>(
  list: readonly Item[],
  holds: (item: Item) => boolean,
): number {
  let [from, to] = [0, list.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    const item = list[middle];
    if (item !== undefined && holds(item)) to = middle;
    else from = middle + 1;
  }
  return from;
}
