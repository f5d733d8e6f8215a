import { Context } from '@temporalio/activity';
import { Client } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { connectCluster } from '../activities/adapters/connect.js';
import type { RunContext } from '../activities/contract.js';
import { realClock, type ActivityDependencies } from '../activities/dependencies.js';
import { createFileEvidenceStore } from '../activities/evidence/file-evidence-store.js';
import { DATA_CONVERTER } from '../config/data-converter.js';
import { MESSAGES } from '../config/names.js';
import type { GateVerdict } from '../domain/gates.js';
import type { FindCluster } from './inventory-lookup.js';
import { activityLog } from './logging.js';
import type { CountRequest } from './telemetry.js';

export interface Surroundings {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly stateDirectory: string;
  /** Digest of this worker's code. */
  readonly build: string;
  readonly findCluster: FindCluster;
  readonly log: Logger;
  readonly countRequest: CountRequest;
}

/**
 * Dependencies of the activities: real clusters, evidence on disk, Temporal's context of the running attempt.
 * `userAgent` distinguishes steps from guards in an API server's audit log.
 */
export function activityDependencies(given: Surroundings, userAgent: string): ActivityDependencies {
  const client = new Client({
    connection: given.connection,
    namespace: given.namespace,
    dataConverter: DATA_CONVERTER,
  });
  return {
    connect: async (cluster) =>
      connectCluster(await given.findCluster(cluster), {
        onRequest: given.countRequest,
        userAgent,
        uid: cluster.uid,
      }),
    evidence: createFileEvidenceStore(given.stateDirectory),
    build: given.build,
    clock: realClock,
    log: activityLog(given.log),
    scope: () => {
      const context = Context.current();
      return {
        signal: context.cancellationSignal,
        heartbeat: (details) => {
          context.heartbeat(details);
        },
        lastHeartbeat: context.info.heartbeatDetails as unknown,
      };
    },
    announceBreach: (run, breaches) => announce(client, run, breaches),
  };
}

async function announce(
  client: Client,
  { workflowId, runId }: RunContext,
  breaches: readonly GateVerdict[],
): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  for (const breach of breaches) await handle.signal(MESSAGES.breach, breach);
}
