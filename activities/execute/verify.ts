import type { GateVerdict } from '../../domain/gates.js';
import { notPassed } from '../../domain/hard-gates.js';
import type { Inventory } from '../../domain/observation.js';
import { survivalGates } from '../../domain/survival-gates.js';
import { sinceInventory } from '../observe/load-balancers.js';
import { takeLook, type TakenLook } from '../observe/take-look.js';
import type { EffectReport, StepSession } from './step-session.js';
import { note, timingsOf } from './step-session.js';
import { lookUntil } from './wait-for.js';

/**
 * Compares what must survive with the inventory at the start of the run: addresses of load balancers, worker Nodes, their
 * providerIDs and pod ranges. Read only. A difference is given time, because a new owner first works through its backlog; one
 * that remains fails a gate.
 */
export async function verify(session: StepSession, since: Inventory): Promise<EffectReport> {
  const timings = timingsOf(session);
  let { look } = session;
  await lookUntil(session, {
    what: 'load balancers and Nodes as they were',
    withinMs: timings.effectMs,
    everyMs: 4 * timings.pollMs,
    look: async () => {
      look = await lookAtInventory(session, look);
      return lossesOf(look, since).length === 0 ? true : null;
    },
  });
  const lost = lossesOf(look, since);
  note(
    session,
    lost.length === 0
      ? 'load balancers, Nodes and providerIDs are as they were'
      : lost.map(({ detail }) => detail).join('; '),
  );
  return { lost: null, look, verdicts: judged(look, since) };
}

function lossesOf(look: TakenLook, since: Inventory): readonly GateVerdict[] {
  return notPassed(judged(look, since));
}

function judged({ observation, slow }: TakenLook, since: Inventory): readonly GateVerdict[] {
  const { firstLoadBalancers, loadBalancers } = slow;
  return survivalGates(
    observation.inventory,
    sinceInventory(since, firstLoadBalancers, loadBalancers),
  );
}

async function lookAtInventory(
  { input, ports, clock }: StepSession,
  last: TakenLook,
): Promise<TakenLook> {
  return takeLook(ports, clock, {
    ...input,
    sightings: last.sightings,
    carried: last.slow,
    refresh: ['inventory'],
    carriedPods: last.quick.controlPlanePods,
  });
}
