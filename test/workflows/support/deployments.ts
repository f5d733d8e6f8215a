import type { Client } from '@temporalio/client';
import type { History } from '@temporalio/common/lib/proto-utils.js';
import type { WorkerDeploymentOptions } from '@temporalio/worker';

/** As `workers/worker-options.ts` has it in production: for clusters' runs, and `PINNED` for fleets. */
export function versioned(
  deploymentName: string,
  buildId: string,
  defaultVersioningBehavior: 'AUTO_UPGRADE' | 'PINNED' = 'AUTO_UPGRADE',
): WorkerDeploymentOptions {
  return {
    version: { deploymentName, buildId },
    ...{ useWorkerVersioning: true, defaultVersioningBehavior },
  };
}

/** As a deployment does once the new workers run. */
export async function makeCurrent(
  client: Client,
  deploymentName: string,
  buildId: string,
): Promise<void> {
  const request = {
    ...{ namespace: client.options.namespace, deploymentName, buildId },
    ...{ identity: 'test', ignoreMissingTaskQueues: true },
  };
  for (let attempts = 0; ; attempts += 1) {
    try {
      await client.workflowService.setWorkerDeploymentCurrentVersion(request);
      return;
    } catch (error) {
      // Its workers have not polled yet.
      if (attempts > 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** The builds that workflow tasks ran on, without repetitions. */
export function buildsOf({ events }: History): readonly string[] {
  const tasks = (events ?? []).flatMap(
    ({ workflowTaskCompletedEventAttributes: task }) => task?.deploymentVersion?.buildId ?? [],
  );
  return withoutRepetitions(tasks);
}

export function withoutRepetitions(words: readonly string[]): readonly string[] {
  return words.filter((word, index) => word !== words[index - 1]);
}
