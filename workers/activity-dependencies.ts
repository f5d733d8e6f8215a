import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import { connectCluster } from '../activities/adapters/connect.js';
import {
  type ActivityDependencies,
  type ActivityScope,
  type Authority,
  realClock,
} from '../activities/dependencies.js';
import type { EvidenceStore, RunKey } from '../activities/evidence/evidence-store.js';
import type { FleetDependencies } from '../activities/fleet/fleet-dependencies.js';
import { openClient } from '../config/temporal-client.js';
import { breachAnnouncer } from './announce-breach.js';
import { firstRunsOf } from './first-runs.js';
import { type FleetWatch, createFleetWatch } from './fleet-watch.js';
import type { FindCluster } from './followed-inventory.js';
import { activityLog } from './logging.js';
import type { WorkerMetrics } from './telemetry.js';
import { temporalFleets } from './temporal-fleets.js';
import { temporalRuns } from './temporal-runs.js';

export interface WorkerContext {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly dataConverter: DataConverter;
  readonly evidence: EvidenceStore;
  /** Digest of this worker's code. */
  readonly build: string;
  readonly findCluster: FindCluster;
  /** Null where this worker has no access policy. */
  readonly authority: Authority | null;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
}

/**
 * Dependencies of the activities: real clusters, kept evidence, Temporal's context of the running attempt.
 * `userAgent` distinguishes steps from guards in an API server's audit log.
 */
export function activityDependencies(
  given: WorkerContext,
  userAgent: string,
): ActivityDependencies {
  const client = clientOf(given);
  return {
    connect: async (cluster) =>
      connectCluster(await given.findCluster(cluster), {
        onRequest: given.metrics.countRequest,
        userAgent,
        uid: cluster.uid,
      }),
    evidence: given.evidence,
    build: given.build,
    ...(given.authority === null ? {} : { authority: given.authority }),
    clock: realClock,
    log: activityLog(given.log),
    scope: scopes(client),
    announceBreach: breachAnnouncer(client),
    recordGuardGap: given.metrics.recordGuardGap,
  };
}

type ServerContext = Pick<WorkerContext, 'connection' | 'namespace' | 'dataConverter'>;

/** Dependencies of the activities of fleets, which reach no cluster. */
export function fleetDependencies(
  given: ServerContext & Pick<WorkerContext, 'authority'>,
): FleetDependencies {
  const { authority } = given;
  const client = clientOf(given);
  return {
    ...{ directory: temporalRuns(client), clock: realClock, scope: scopes(client) },
    ...(authority === null ? {} : { authority }),
  };
}

/** Reads open fleets for their metrics. */
export function fleetWatch(
  given: ServerContext & Pick<WorkerContext, 'log' | 'metrics'>,
): FleetWatch {
  const { log, metrics } = given;
  const directory = temporalFleets(clientOf(given));
  return createFleetWatch({ directory, metrics: metrics.fleets, log });
}

function clientOf({ connection, namespace, dataConverter }: ServerContext) {
  return openClient({ connection, namespace, dataConverter });
}

/** Of the attempt that is running now. */
function scopes(client: Client): () => ActivityScope {
  const firstRun = firstRunsOf(client);
  return () => currentScope(firstRun);
}

function currentScope(firstRun: (execution: RunKey) => Promise<string>): ActivityScope {
  const context = Context.current();
  const { workflowExecution: asking } = context.info;
  return {
    signal: context.cancellationSignal,
    heartbeat: (details) => {
      context.heartbeat(details);
    },
    lastHeartbeat: context.info.heartbeatDetails as unknown,
    isRetry: context.info.attempt > 1,
    askedBy: asking === undefined ? null : { ...asking, firstRun: () => firstRun(asking) },
  };
}
