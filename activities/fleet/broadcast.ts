import { clusterWorkflowId } from '../../config/names.js';
import { fieldsOf, readEach, readOneOf } from '../../domain/fleet/read-fields.js';
import type { ActivityScope } from '../dependencies.js';
import type { BroadcastInput, Delivery } from '../fleet-contract.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import type { FleetFacts } from './fleet-facts.js';
import { AT_ONCE, inParallel } from './in-parallel.js';

const OUTCOMES = ['sent', 'over', 'unreachable'] as const;

/** Sends orders; its heartbeat is what became of those before its position, so that the next attempt goes on behind them. */
export async function broadcastOrders(
  { directory }: Pick<FleetDependencies, 'directory'>,
  scope: ActivityScope,
  { rows }: FleetFacts,
  { messages }: BroadcastInput,
): Promise<readonly Delivery[]> {
  const send = async (message: BroadcastInput['messages'][number]): Promise<Delivery> => {
    const { row, grant } = message;
    const uid = rows[row]?.uid;
    if (uid === undefined) return { row, grant, outcome: 'over' };
    return { row, grant, outcome: await directory.signal(clusterWorkflowId(uid), message) };
  };
  let outcomes = outcomesOf(scope.lastHeartbeat);
  while (outcomes.length < messages.length) {
    const next = messages.slice(outcomes.length, outcomes.length + AT_ONCE);
    const sent = await inParallel(next, send);
    outcomes = [...outcomes, ...sent.map(({ outcome }) => outcome)];
    scope.heartbeat({ outcomes });
  }
  return messages.flatMap(({ row, grant }, index) =>
    outcomes.slice(index, index + 1).map((outcome) => ({ row, grant, outcome })),
  );
}

function outcomesOf(heartbeat: unknown): readonly Delivery['outcome'][] {
  const { outcomes } = fieldsOf(heartbeat);
  return readEach(outcomes, (each) => readOneOf(OUTCOMES, each)) ?? [];
}
