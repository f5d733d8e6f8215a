import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { type Described, describedQueue } from '../../activities/fleet/live-workers.js';

/** VersioningBehavior and WorkerVersioningMode of temporal/api/enums/v1. */
const PINNED = 1;
const VERSIONED = 2;

/** A build that polls; its id is empty for workers without versioning. */
interface Polling {
  readonly deployment: string;
  readonly id: string;
  readonly lastMs: number;
}

/**
 * Which build the server keeps a run for that no worker answers for, while workers of others poll: with worker versioning (ADR 12, 16)
 * an upgrade that was left halfway looks as if there were no worker at all. Empty where that is not why.
 */
export async function waitingBuild(
  client: Client,
  workflowId: string,
  runId: string,
): Promise<string> {
  const handle = client.workflow.getHandle(workflowId, runId === '' ? undefined : runId);
  const run = await handle.describe();
  const queue = await describedQueue(client, { name: run.taskQueue, type: 'workflows' });
  const pinnedTo = pinnedBuild(run);
  const wanted = pinnedTo ?? queue.versioningInfo?.currentDeploymentVersion?.buildId ?? '';
  const others = othersThatPoll(queue.pollers, wanted);
  if (run.closeTime === undefined) return whyItWaits(wanted, pinnedTo !== null, others);
  return others.length === 0 ? '' : `build ${wanted} ended it`;
}

/** Null for a run that goes on with the build that is current. */
function pinnedBuild({ raw }: WorkflowExecutionDescription): string | null {
  const own = raw.workflowExecutionInfo?.versioningInfo;
  return Number(own?.behavior) === PINNED ? (own?.deploymentVersion?.buildId ?? '') : null;
}

function whyItWaits(
  wanted: string,
  isPinned: boolean,
  [other, ...more]: readonly Polling[],
): string {
  if (other === undefined) return '';
  const kept =
    wanted === ''
      ? 'no build is current'
      : `the server keeps it for build ${wanted}, whose workers do not answer`;
  if (other.id === '')
    return `${kept}; those without CCM_MIGRATE_WORKER_VERSIONING=on get none of it`;
  if (isPinned)
    return `${kept}: start one of that build until it has moved on to build ${other.id}`;
  const id = more.length === 0 ? other.id : 'BUILD';
  return `${kept}, and build ${other.id} waits to be current: temporal worker deployment set-current-version --deployment-name ${other.deployment} --build-id ${id}`;
}

type Pollers = Described['pollers'];

/** Other builds, each once. A worker that left is listed for some minutes: only what polled after the one that is wanted counts. */
function othersThatPoll(pollers: Pollers, wanted: string): readonly Polling[] {
  const all = pollers.map(pollingBuild).sort((a, b) => b.lastMs - a.lastMs);
  const until = all.findIndex(({ id }) => id === wanted);
  const others = until === -1 ? all : all.slice(0, until);
  return others.filter(({ id }, at) => others.findIndex((each) => each.id === id) === at);
}

function pollingBuild({ deploymentOptions: of, lastAccessTime: last }: Pollers[number]): Polling {
  const isVersioned = Number(of?.workerVersioningMode) === VERSIONED;
  const [deployment, id] = isVersioned ? [of?.deploymentName, of?.buildId] : [];
  const lastMs = Number(last?.seconds) * 1000 + Number(last?.nanos) / 1e6;
  return { deployment: deployment ?? '', id: id ?? '', lastMs };
}
