import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CLUSTER_MIGRATION, FLEET_MIGRATION, fleetNameIn } from '../../config/names.js';
import { fieldsOf, readText, whenAll } from '../../domain/fleet/read-fields.js';
import type { Membership } from '../../domain/run/membership.js';
import { describedRun } from '../runs/described-run.js';
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';

/** An open fleet, or an open run of a cluster that no open fleet leads. */
export interface OpenWork {
  readonly kind: 'fleet' | 'cluster';
  readonly workflowId: string;
  readonly runId: string;
  readonly name: string;
}

interface ListedRun extends OpenWork {
  readonly leader: Leader | null;
}

type Leader = Pick<Membership, 'fleetWorkflowId' | 'fleetRun'>;

/**
 * Everything in the namespace that changes clusters. Members are led by their fleet; a run whose fleet is gone is on its own, though
 * another one of that name is open, and so is one that a fleet adopted, since its start names no fleet. The listing lags: see
 * `untilSettled`.
 */
export async function openWork(client: Client): Promise<readonly OpenWork[]> {
  const query = `ExecutionStatus='Running' AND WorkflowType IN ('${FLEET_MIGRATION}', '${CLUSTER_MIGRATION}')`;
  const fleets: OpenWork[] = [];
  const runs: ListedRun[] = [];
  for await (const listed of client.workflow.list({ query })) {
    const { workflowId, runId, type, memo, typedSearchAttributes } = listed;
    if (type === FLEET_MIGRATION) {
      const name = fleetNameIn(workflowId);
      fleets.push({ kind: 'fleet', workflowId, runId, name });
    } else {
      const name = typedSearchAttributes.get(CLUSTER_ATTRIBUTE) ?? workflowId;
      runs.push({ kind: 'cluster', workflowId, runId, name, leader: leaderOf(memo) });
    }
  }
  const open = await leadingRuns(client, fleets, runs);
  const alone = runs.filter(
    ({ leader }) => leader === null || open.get(leader.fleetWorkflowId) !== leader.fleetRun,
  );
  // Fleets first: they stop starting runs.
  return [...fleets, ...alone.map(({ leader: _leader, ...run }) => run)];
}

function leaderOf(memo: unknown): Leader | null {
  const given = fieldsOf(fieldsOf(memo)['member']);
  return whenAll({
    fleetWorkflowId: readText(given['fleetWorkflowId']),
    fleetRun: readText(given['fleetRun']),
  });
}

/** The first run id of each of these fleets that a run names, by its workflow id: a fleet that continues as new keeps it. */
async function leadingRuns(
  client: Client,
  fleets: readonly OpenWork[],
  runs: readonly ListedRun[],
): Promise<ReadonlyMap<string, string | null>> {
  const named = new Set(runs.map(({ leader }) => leader?.fleetWorkflowId));
  const asked = fleets.filter(({ workflowId }) => named.has(workflowId));
  const found = asked.map(
    async ({ workflowId }) => [workflowId, await leadingRun(client, workflowId)] as const,
  );
  return new Map(await Promise.all(found));
}

/** Null where no fleet is known to lead by now: its runs are told themselves, rather once too often than not at all. */
async function leadingRun(client: Client, workflowId: string): Promise<string | null> {
  try {
    const found = await describedRun(client, workflowId);
    if (found?.status.name !== 'RUNNING') return null;
    const firstRunId = found.raw.workflowExecutionInfo?.firstRunId ?? '';
    return firstRunId === '' ? found.runId : firstRunId;
  } catch {
    return null;
  }
}

/** What became of everything, and whether the last listing brought nothing new. */
export interface Settled<Told> {
  readonly told: readonly Told[];
  readonly settled: boolean;
}

const MOST_LISTINGS = 20;
/** Longer than a server takes to list what it has started. */
const LAG_MS = 2_000;

/**
 * Tells everything, lists again, and tells what is new, until a listing brings nothing new: a listing lags, so that one alone
 * misses what was just started. Nothing waits for the answers of others: in an emergency all have to be told at once. `lagMs` is
 * the pause before each further listing.
 */
export async function untilSettled<Told>(
  list: () => Promise<readonly OpenWork[]>,
  tell: (work: OpenWork) => Promise<Told>,
  { signal, lagMs = LAG_MS }: { readonly signal: AbortSignal; readonly lagMs?: number },
): Promise<Settled<Told>> {
  const known = new Set<string>();
  const telling: Promise<Told>[] = [];
  let settled = false;
  for (let listing = 0; !settled && listing < MOST_LISTINGS && !signal.aborted; listing += 1) {
    if (listing > 0) await sleep(lagMs, undefined, { signal }).catch(() => undefined);
    const fresh = (await list()).filter((work) => !known.has(keyOf(work)));
    for (const work of fresh) known.add(keyOf(work));
    telling.push(...fresh.map(tell));
    settled = fresh.length === 0 && listing > 0;
  }
  return { told: await Promise.all(telling), settled };
}

/** A later run of the same cluster is another one. */
function keyOf({ workflowId, runId }: OpenWork): string {
  return `${workflowId} ${runId}`;
}
