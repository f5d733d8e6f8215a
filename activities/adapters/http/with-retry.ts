import type { ApplicationFailure } from '@temporalio/common';
import type { Deadline } from '../deadline.js';
import { isDisruptionBudget, type RefusedAnswer } from './answer-failure.js';

/** The outcome of one attempt. `waitMs` is the wait requested by the server. */
export type Attempt<T> =
  | { readonly kind: 'done'; readonly value: T }
  | {
      readonly kind: 'failed';
      readonly error: ApplicationFailure;
      readonly mayRepeat: boolean;
      readonly waitMs?: number;
    };

const MAX_ATTEMPTS = 5;
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;
/** A mutation depends on a fence and gates that were just read: after a longer wait they must be re-read. */
const MUTATION_PATIENCE_MS = 2_500;

/**
 * Retries until an attempt succeeds, must not be repeated, or the next wait would pass the deadline: then the last failure
 * surfaces (with Retry-After as its next delay) and Temporal's own retries take over. Waits double from 100 ms to 2 s with up
 * to 50 % jitter; Retry-After is honoured, plus 10 % jitter.
 */
export async function withRetry<T>(
  deadline: Deadline,
  safe: boolean,
  attempt: () => Promise<Attempt<T>>,
): Promise<T> {
  const ends = performance.now() + (safe ? Infinity : MUTATION_PATIENCE_MS);
  for (let count = 1; ; count += 1) {
    const result = await attempt();
    if (result.kind === 'done') return result.value;
    const waitMs = waitBefore(count, result.waitMs);
    const tooLong = waitMs >= deadline.remainingMs() || performance.now() + waitMs > ends;
    if (!result.mayRepeat || count >= MAX_ATTEMPTS || tooLong) throw result.error;
    try {
      await deadline.pause(waitMs);
    } catch {
      throw result.error;
    }
  }
}

function waitBefore(count: number, asked: number | undefined): number {
  if (asked !== undefined && asked > 0) return asked * (1 + Math.random() / 10);
  const doubled = Math.min(FIRST_WAIT_MS * 2 ** (count - 1), LONGEST_WAIT_MS);
  return doubled * (0.5 + Math.random() / 2);
}

/**
 * The wait after which a refused request may be retried; null when it must not be. A mutation only when it certainly had no
 * effect: 429, or 503 with a Status. Without a Status a proxy may have lost the answer of an executed request. An unreachable
 * node and a disruption budget are final answers.
 */
export function retryDelayMs(
  answer: RefusedAnswer,
  safe: boolean,
  type: string | null | undefined,
): { readonly waitMs?: number } | null {
  const { status, body, retryAfterMs } = answer;
  if (type === 'Unreachable' || isDisruptionBudget(answer)) return null;
  const refusedBefore = status === 429 || (status === 503 && body !== null);
  const worthIt = safe && (refusedBefore || status >= 500);
  if (!refusedBefore && !worthIt) return null;
  return retryAfterMs === null ? {} : { waitMs: retryAfterMs };
}
