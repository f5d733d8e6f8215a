import { setTimeout as sleep } from 'node:timers/promises';

export interface Patience {
  readonly signal: AbortSignal;
  readonly withinMs: number;
  readonly everyMs: number;
}

/** Looks again and again until there is an answer. @throws Error that names what never came, or the abortion. */
export async function awaited<T>(
  what: string,
  look: () => Promise<T | null> | T | null,
  { signal, withinMs, everyMs }: Patience,
): Promise<T> {
  const endsAtMs = Date.now() + withinMs;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (Date.now() > endsAtMs) throw new Error(`not within ${withinMs / 1000} s: ${what}`);
    await sleep(everyMs, undefined, { signal });
  }
}
