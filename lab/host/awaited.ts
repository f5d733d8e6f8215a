import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Looks again and again until there is an answer. A look that fails is a "not yet"; what the last one said is told.
 * @throws Error that names what never came, or the abortion.
 */
export async function awaited<T>(
  what: string,
  look: () => Promise<T | null> | T | null,
  { withinMs, everyMs, signal }: Patience,
): Promise<T> {
  const endsAtMs = Date.now() + withinMs;
  let last = 'it was never so';
  for (;;) {
    try {
      const seen = await look();
      if (seen !== null) return seen;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    signal?.throwIfAborted();
    if (Date.now() > endsAtMs) throw new Error(`not within ${withinMs / 1000} s: ${what}; ${last}`);
    await sleep(everyMs, undefined, signal === undefined ? {} : { signal });
  }
}
