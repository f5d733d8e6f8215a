/** A bounded number of slots; later callers wait in line. */
export interface Slots {
  /** Resolves with a function that releases the slot; rejects when `signal` aborts first. */
  take(signal: AbortSignal): Promise<() => void>;
}

export function createSlots(count: number): Slots {
  let free = count;
  const line: (() => void)[] = [];
  const giveBack = (): void => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const onceOnly = (): (() => void) => {
    let given = false;
    return () => {
      if (!given) giveBack();
      given = true;
    };
  };
  return {
    take: (signal) => {
      signal.throwIfAborted();
      if (free > 0) {
        free -= 1;
        return Promise.resolve(onceOnly());
      }
      return new Promise((resolve, reject) => {
        const admit = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(onceOnly());
        };
        const leave = (): void => {
          line.splice(line.indexOf(admit), 1);
          reject(signal.reason instanceof Error ? signal.reason : new Error('cancelled'));
        };
        line.push(admit);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
