import { expect, it } from '@jest/globals';
import { quietScope, realClock } from '../../../activities/dependencies.js';
import type { EvidenceStore } from '../../../activities/evidence/evidence-store.js';
import { failure } from '../../../activities/failures.js';
import { createActivities } from '../../../activities/index.js';
import { runContext, TIMINGS } from '../run-context.js';

it('an admission that waits shows that its worker is alive', async () => {
  let isAlive: () => void = () => undefined;
  const alive = new Promise<void>((resolve) => (isAlive = resolve));
  const { admitCommand } = createActivities({
    ...{ connect: () => Promise.reject(new Error('no cluster')), build: 'test', clock: realClock },
    evidence: {} as EvidenceStore,
    log: { info: () => undefined, warn: () => undefined },
    scope: () => ({
      ...quietScope(),
      heartbeat: () => {
        isAlive();
      },
    }),
    authority: {
      policy: async () => {
        await alive;
        throw failure('Unavailable', 'the policy was read late');
      },
      cluster: () => Promise.reject(new Error('no cluster')),
    },
  });
  const admitted = admitCommand({
    ...runContext({ timings: { ...TIMINGS, heartbeatMs: 60 } }),
    command: { commandId: 'c', verb: 'stop', arguments: {}, actor: 'ben', reason: '', ticket: '' },
  });
  await expect(admitted).rejects.toMatchObject({ message: 'the policy was read late' });
});
