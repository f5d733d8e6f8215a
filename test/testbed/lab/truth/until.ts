import { setTimeout as delay } from 'node:timers/promises';

const POLL_EVERY_MS = 20;

export interface Awaited<T> {
  readonly seen: T;
  /** How long it took from the call on, in seconds. */
  readonly seconds: number;
}

/**
 * Observes until there is an answer, as often as the observation itself permits, and returns how long it took.
 *
 * @throws Error that names what never happened, and the last observation where `last` gives it.
 */
export async function until<T>(
  what: string,
  snapshot: () => Promise<T | null> | T | null,
  { withinMs = 90_000, last = () => '' }: { withinMs?: number; last?: () => string } = {},
): Promise<Awaited<T>> {
  const began = performance.now();
  for (;;) {
    const seen = await snapshot();
    if (seen !== null) return { seen, seconds: (performance.now() - began) / 1000 };
    if (performance.now() - began > withinMs) {
      throw new Error(`never came within ${withinMs / 1000} s: ${what}; at last: ${last()}`);
    }
    await delay(POLL_EVERY_MS);
  }
}

/** Until the condition holds, as above. */
export async function untilSo(
  what: string,
  holds: () => Promise<boolean> | boolean,
  options?: Parameters<typeof until>[2],
): Promise<number> {
  const { seconds } = await until(what, async () => ((await holds()) ? true : null), options);
  return seconds;
}

/**
 * Requires that the condition holds in every observation for this long: for what must *not* happen, where no event marks the end. The time
 * is part of the claim, as with a renew deadline that passes.
 */
export async function throughout(
  what: string,
  seconds: number,
  holds: () => Promise<boolean> | boolean,
): Promise<void> {
  const ends = performance.now() + seconds * 1000;
  while (performance.now() < ends) {
    if (!(await holds())) throw new Error(`did not last ${seconds} s: ${what}`);
    await delay(POLL_EVERY_MS * 10);
  }
}
