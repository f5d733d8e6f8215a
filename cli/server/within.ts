import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

/**
 * What Temporal answers in time; null where it does not, or refuses. The deadline alone is not enough: the client tries some
 * failures again after it, and a brake waits for no one.
 */
export async function within<T>(
  client: Client,
  ms: number,
  call: () => Promise<T>,
): Promise<T | null> {
  const answered = new AbortController();
  const called = client.connection.withDeadline(Date.now() + ms, call).catch(() => null);
  const tooLate = sleep(ms, null, { signal: answered.signal }).catch(() => null);
  try {
    return await Promise.race([called, tooLate]);
  } finally {
    answered.abort();
  }
}
