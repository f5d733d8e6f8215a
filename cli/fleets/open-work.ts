import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { CLUSTER_MIGRATION, FLEET_MIGRATION, fleetNameIn } from '../../config/names.js';
import { CLUSTER_ATTRIBUTE } from '../runs/find-run.js';

/** An open fleet, or an open run of a cluster that no open fleet leads. */
export interface OpenWork {
  readonly kind: 'fleet' | 'cluster';
  readonly workflowId: string;
  readonly runId: string;
  readonly name: string;
}

/**
 * Everything in the namespace that changes clusters. Members are led by their fleet; a run whose fleet is gone is on its own, and
 * so is one that a fleet adopted, since its start names no fleet. The listing lags: see `untilSettled`.
 */
export async function openWork(client: Client): Promise<readonly OpenWork[]> {
  const query = `ExecutionStatus='Running' AND WorkflowType IN ('${FLEET_MIGRATION}', '${CLUSTER_MIGRATION}')`;
  const fleets: OpenWork[] = [];
  const runs: (OpenWork & { readonly leader: string | null })[] = [];
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
  const open = new Set(fleets.map(({ workflowId }) => workflowId));
  const alone = runs.filter(({ leader }) => leader === null || !open.has(leader));
  // Fleets first: they stop starting runs.
  return [...fleets, ...alone.map(({ leader: _leader, ...run }) => run)];
}

function leaderOf(memo: unknown): string | null {
  const member = memberIn(memo, 'member');
  const leader = memberIn(member, 'fleetWorkflowId');
  return typeof leader === 'string' ? leader : null;
}

function memberIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? new Map(Object.entries(value)).get(name)
    : null;
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
