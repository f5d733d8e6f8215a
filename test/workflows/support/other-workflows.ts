import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import { answerQuery, statusQuery } from '../../../workflows/messages.js';

/** A build that decides otherwise from its first task on: no history of ours is what it does. */
export async function clusterMigration(input: { readonly stepTaskQueue: string }): Promise<void> {
  setHandler(statusQuery, () => {
    throw new Error('no status');
  });
  setHandler(answerQuery, () => ({ state: 'pending', detail: '' }));
  const others = proxyActivities<{ readonly somethingElse: () => Promise<void> }>({
    taskQueue: input.stepTaskQueue,
    startToCloseTimeout: 60_000,
  });
  await others.somethingElse();
  await condition(() => false);
}
