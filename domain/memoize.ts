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
