import { setTimeout as delay } from 'node:timers/promises';

/** The first answer that is not null, or a failure after `patienceMs`. */
export async function eventually<T>(
  patienceMs: number,
  snapshot: () => Promise<T | null>,
): Promise<T> {
  const ends = performance.now() + patienceMs;
  for (;;) {
    const seen = await snapshot();
    if (seen !== null) return seen;
    if (performance.now() > ends) throw new Error(`not seen within ${String(patienceMs)} ms`);
    await delay(25);
  }
}
