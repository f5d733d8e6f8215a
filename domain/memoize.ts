/**
 * Memoises `work` by object identity, for values that are asked for often and never changed in place, such as observations
 * and their parts. An entry is collected with its object.
 */
export function memoizeByIdentity<K extends object, V extends string | number | object>(
  work: (key: K) => V,
): (key: K) => V {
  const done = new WeakMap<K, V>();
  return (key) => {
    const known = done.get(key);
    if (known !== undefined) return known;
    const value = work(key);
    done.set(key, value);
    return value;
  };
}

/** Room for the texts of a few hundred clusters, whose nodes mostly hold the same ones. In characters of the keys. */
const ROOM = 16 * 1024 * 1024;

/**
 * Memoises a pure function. Drops everything when it grows too large: a node that changes its files at each observation must
 * not use up the memory of all clusters.
 */
export function memoizeByKey<Given, Answer>(
  answer: (given: Given) => Answer,
  keyOf: (given: Given) => string,
  room = ROOM,
): (given: Given) => Answer {
  const known = new Map<string, Answer>();
  let taken = 0;
  return (given) => {
    const key = keyOf(given);
    const before = known.get(key);
    if (before !== undefined) return before;
    const now = answer(given);
    taken += key.length;
    if (taken > room) {
      known.clear();
      taken = key.length;
    }
    if (key.length <= room) known.set(key, now);
    return now;
  };
}
