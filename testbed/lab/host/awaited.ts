import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly withinMs: number;
  readonly everyMs: number;
  readonly signal?: AbortSignal;
}

/** As below, for a condition. */
export async function awaitedTrue(
  what: string,
  holds: () => Promise<boolean> | boolean,
  patience: Patience,
): Promise<void> {
  await awaited(what, async () => ((await holds()) ? true : null), patience);
}

/**
 * Polls until `snapshot` returns a value. An attempt that throws counts as "not yet"; its error is reported at the end.
 * @throws Error that names what never happened, or the abort reason.
 */
export async function awaited<T>(
  what: string,
  snapshot: () => Promise<T | null> | T | null,
  { withinMs, everyMs, signal }: Patience,
): Promise<T> {
  const endsAtMs = Date.now() + withinMs;
  let last = 'the condition never held';
  for (;;) {
    try {
      const seen = await snapshot();
      if (seen !== null) return seen;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    signal?.throwIfAborted();
    if (Date.now() > endsAtMs)
      throw new Error(`timed out after ${withinMs / 1000} s: ${what}; ${last}`);
    await sleep(everyMs, undefined, signal === undefined ? {} : { signal });
  }
}
