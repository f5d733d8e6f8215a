import { describe, expect, it } from '@jest/globals';
import { ApplicationFailure } from '@temporalio/common';
import { quietScope, realClock } from '../../../activities/dependencies.js';
import type { EvidenceStore } from '../../../activities/evidence/evidence-store.js';
import { failure } from '../../../activities/failures.js';
import { rememberScope } from '../../../activities/guard/kept-memory.js';
import { createGuardActivities } from '../../../activities/index.js';
import { runContext } from '../run-context.js';

const MEMORY = { guard: 1, observations: 41 };

/** How a guard ends that cannot connect to its cluster. */
async function endsWith(error: Error, { isOver = false, remembers = true } = {}) {
  const signal = isOver ? AbortSignal.abort(new Error('cancelled')) : new AbortController().signal;
  const { guardCluster } = createGuardActivities({
    ...{ connect: () => Promise.reject(error), build: 'test', clock: realClock },
    evidence: {} as EvidenceStore,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => ({ ...quietScope(signal), lastHeartbeat: remembers ? MEMORY : undefined }),
  });
  const input = { ...runContext(), nonce: 'n', memory: null };
  return guardCluster(input).catch((thrown: unknown) => thrown);
}

describe('what a guard remembers when it fails', () => {
  it.each(['Unauthorized', 'InvalidInput', 'AuthorityLost', 'ClusterMismatch'] as const)(
    'travels with a failure that ends it for good: %s',
    async (type) => {
      const ended = await endsWith(failure(type, 'not here', { details: { status: 401 } }));
      expect(ended).toMatchObject({
        ...{ type, message: 'not here', nonRetryable: true },
        details: [{ status: 401 }, MEMORY],
      });
    },
  );

  it('travels with any failure once it was cancelled, because no attempt follows', async () => {
    const refused = await endsWith(failure('Unavailable', 'no route'), { isOver: true });
    expect(refused).toMatchObject({ type: 'Unavailable', details: [{}, MEMORY] });
    const foreign = await endsWith(new Error('aborted'), { isOver: true });
    expect(foreign).toBeInstanceOf(ApplicationFailure);
    expect(foreign).toMatchObject({ type: 'Unavailable', details: [{}, MEMORY] });
  });

  it('stays with the server where an attempt follows, and is nothing before the first heartbeat', async () => {
    const [unavailable, foreign] = [failure('Unavailable', 'no route'), new Error('a bug')];
    expect(await endsWith(unavailable)).toBe(unavailable);
    expect(await endsWith(foreign)).toBe(foreign);
    const forbidden = failure('Unauthorized', 'expired');
    expect(await endsWith(forbidden, { remembers: false })).toBe(forbidden);
  });

  it('is what it remembered last', () => {
    const told: unknown[] = [];
    const heartbeat = (details: unknown): void => void told.push(details);
    const { scope, failed } = rememberScope({ ...quietScope(), heartbeat, lastHeartbeat: MEMORY });
    scope.heartbeat({ guard: 1, observations: 42 });
    expect(told).toEqual([{ guard: 1, observations: 42 }]);
    const details = [{}, { guard: 1, observations: 42 }];
    const throttled = failure('Unauthorized', 'x', { nextRetryDelayMs: 5, cause: new Error('y') });
    expect(failed(throttled)).toMatchObject({
      details,
      nextRetryDelay: 5,
      cause: { message: 'y' },
    });
  });
});
