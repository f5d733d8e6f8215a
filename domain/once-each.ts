/**
 * `work` that is done once for each object, for what is asked many times over of one thing that is never changed in place,
 * as looks and their parts are. What is remembered goes with its object.
 */
export function onceEach<K extends object, V extends string | number | object>(
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
