/** By time, and as recorded where times are equal or are none. */
export function inOrder<T extends { readonly at: string }>(list: readonly T[]): T[] {
  let last = 0;
  const timed = list.map((each) => {
    const ms = Date.parse(each.at);
    if (!Number.isNaN(ms)) last = ms;
    return { each, ms: last };
  });
  return timed.sort((one, other) => one.ms - other.ms).map(({ each }) => each);
}
