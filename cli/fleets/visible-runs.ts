import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import { CLUSTER_MIGRATION, fleetWorkflowId } from '../../config/names.js';
import { OUTCOME_KINDS } from '../../domain/run/outcome.js';
import { SHOWN_PHASES } from '../../domain/run/run-status.js';
import { quotedLiteral } from '../runs/find-run.js';

/**
 * Runs of a fleet as the server's search index has them. It lags, it counts runs instead of the fleet's rows, and it knows
 * nothing of clusters that wait: for people to read, never for decisions.
 */
export interface VisibleRuns {
  /** Open runs by their phase; only what there is. */
  readonly phases: Readonly<Record<string, number>>;
  /** Open runs that no worker has taken yet. */
  readonly untaken: number;
  readonly paused: number;
  /** Closed runs by their outcome; only what there is. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Closed runs that left no outcome: terminated, or failed before they began. */
  readonly withoutOutcome: number;
}

/** About twenty counts, all at once. Null where the first execution of the fleet is gone: its runs cannot be told from older ones. */
export async function visibleRuns(client: Client, fleet: string): Promise<VisibleRuns | null> {
  const beganMs = await beganAt(client, fleet);
  if (beganMs === null) return null;
  // A fleet of the same name may have run before; none of its runs began later.
  const ofFleet = [
    `WorkflowType='${CLUSTER_MIGRATION}'`,
    `Fleet=${quotedLiteral(fleet)}`,
    `StartTime >= '${new Date(beganMs).toISOString()}'`,
  ].join(' AND ');
  const count = async (more: string): Promise<number> =>
    (await client.workflow.count(`${ofFleet} AND ${more}`)).count;
  const countEach = async (
    kinds: readonly string[],
    more: (kind: string) => string,
  ): Promise<readonly (readonly [string, number])[]> =>
    Promise.all(kinds.map(async (kind) => [kind, await count(more(kind))] as const));
  const open = `ExecutionStatus='Running'`;
  const closed = `ExecutionStatus!='Running' AND ExecutionStatus!='ContinuedAsNew'`;
  const [allOpen, allClosed, paused, phases, outcomes] = await Promise.all([
    count(open),
    count(closed),
    count(`${open} AND Paused=true`),
    countEach(SHOWN_PHASES, (phase) => `${open} AND Phase='${phase}'`),
    countEach(OUTCOME_KINDS, (kind) => `${closed} AND Outcome='${kind}'`),
  ]);
  return {
    ...{ phases: present(phases), outcomes: present(outcomes), paused },
    untaken: Math.max(0, allOpen - sum(phases)),
    withoutOutcome: Math.max(0, allClosed - sum(outcomes)),
  };
}

/** When the first execution of the fleet's newest run began: a fleet that continues as new has several. */
async function beganAt(client: Client, fleet: string): Promise<number | null> {
  const workflowId = fleetWorkflowId(fleet);
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  const runId = raw.workflowExecutionInfo?.firstRunId;
  if (typeof runId !== 'string' || runId === '') return null;
  try {
    const first = await client.workflow.getHandle(workflowId, runId).describe();
    return first.startTime.getTime();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

function sum(counts: readonly (readonly [string, number])[]): number {
  return counts.reduce((total, [, count]) => total + count, 0);
}

function present(counts: readonly (readonly [string, number])[]): Readonly<Record<string, number>> {
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
