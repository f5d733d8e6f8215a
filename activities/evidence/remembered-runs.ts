/** More runs than are ever in flight on one worker; an evicted one is read again. */
const MAX_REMEMBERED = 500;

/** Remembers a value as the newest, and forgets the oldest where there are too many. */
export function rememberLatest<T>(known: Map<string, T>, key: string, value: T): void {
  known.delete(key);
  known.set(key, value);
  const [oldest] = known.keys();
  if (known.size > MAX_REMEMBERED && oldest !== undefined) known.delete(oldest);
}

/** Runs work on one key after the other, in the order in which it was given; a failure does not hold up what follows. */
export function createWriteQueue(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const own = (queues.get(key) ?? Promise.resolve()).then(work);
    const settled = own.catch(() => undefined);
    queues.set(key, settled);
    return own.finally(() => {
      if (queues.get(key) === settled) queues.delete(key);
    });
  };
}
