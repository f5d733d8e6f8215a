import { condition, proxyActivities, setHandler } from '@temporalio/workflow';
import { answerQuery, statusQuery } from '../../../workflows/messages.js';

/** A build that decides differently from its first task on: it cannot replay any of our histories. */
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
