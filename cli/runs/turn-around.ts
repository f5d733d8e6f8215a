import type { Client } from '@temporalio/client';
import type { Target } from '../../domain/vocabulary.js';
import type { ClusterMigrationInput } from '../../workflows/messages.js';
import { Refusal } from '../refusal.js';
import type { Attribution } from './actor.js';
import type { RunView } from './run-view.js';
import { startRun } from './start-run.js';

/** Starts the next run of a cluster with policy, materials and plan of its last one, toward `target`. */
export async function turnAround(
  client: Client,
  last: RunView,
  target: Target,
  who: Attribution,
): Promise<{ readonly workflowId: string; readonly runId: string }> {
  const input = await inputOf(client, last);
  const { cluster, region, fleet, wave, policy, materials, planDigest, timings } = input;
  const lasting = { cluster, region, fleet, wave, policy, materials, planDigest, timings };
  return startRun(client, { ...lasting, ...who, target });
}

/** What a run was started with, as its history says. */
async function inputOf(client: Client, run: RunView): Promise<ClusterMigrationInput> {
  const history = await client.workflow.getHandle(run.workflowId, run.runId).fetchHistory();
  const started = history.events?.[0]?.workflowExecutionStartedEventAttributes;
  const [payload] = started?.input?.payloads ?? [];
  if (payload === undefined) {
    throw new Refusal(
      'CCM4022',
      `${run.workflowId}: its history no longer says what it was given`,
      {
        fix: 'Start it from its files: ccm-migrate apply -f FILES --target kcm.',
      },
    );
  }
  return client.options.loadedDataConverter.payloadConverter.fromPayload(payload);
}
