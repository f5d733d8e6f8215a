import { clusterOwner } from '../../domain/facts/owners.js';
import type { GateVerdict } from '../../domain/gates.js';
import { hardGates } from '../../domain/hard-gates.js';
import type { ClusterObservation } from '../../domain/observation.js';
import type { StepInput, StepReport } from '../contract.js';
import type { ActivityDependencies, ClusterConnection } from '../dependencies.js';
import { closeOpenIntents } from '../fence/fenced-mutation.js';
import { activateFence } from '../fence/fence-mode.js';
import type { Claim } from '../fence/fence-verdict.js';
import type { SlowMemory } from '../observe/slow-memory.js';
import type { TakenLook } from '../observe/take-look.js';
import { carryOut, changedParts } from './carry-out.js';
import { checkPreconditions } from './preconditions.js';
import { orphanMsOf } from './orphan-time.js';
import type { StepSession } from './step-session.js';
import { safePoint } from './step-session.js';

/**
 * One step as one critical section: fence, look, preconditions, effect with its proofs, look again, hard gates.
 * Before it begins, what an earlier attempt of this run left open is closed by looking.
 */
export async function executeStep(
  dependencies: ActivityDependencies,
  memory: SlowMemory,
  connection: ClusterConnection,
  input: StepInput,
): Promise<StepReport> {
  const { clock } = dependencies;
  const startedAtMs = clock.nowMs();
  const claim: Claim = { ...input, cures: input.step.cures };
  const look = async (refresh: Parameters<typeof memory.look>[3]): Promise<TakenLook> =>
    memory.look(connection, clock, { ...input, sightings: latest.sightings }, refresh);
  let latest: Pick<TakenLook, 'sightings'> = input;
  await activateFence(connection.api, claim);
  const before = await look([]);
  latest = before;
  const session = openSession(dependencies, connection, input, claim, before);
  await closeOpenIntents(session);
  checkPreconditions(session);
  safePoint(session);
  const effect = await carryOut(session);
  const after = await look(changedParts(input.step.effect));
  const orphanMs = orphanMsOf(effect, after.observation, after.leases, input.policy);
  return {
    observation: after.observation,
    sightings: after.sightings,
    verdicts: verdictsOf(input, before.observation, after.observation, orphanMs),
    summary: {
      mutations: session.counts.mutations,
      requests: connection.requests(),
      durationMs: clock.nowMs() - startedAtMs,
      detail: session.notes.length === 0 ? 'nothing to change' : session.notes.join(', '),
      orphanMs: Math.round(orphanMs),
    },
  };
}

function openSession(
  { evidence, clock, scope }: ActivityDependencies,
  ports: ClusterConnection,
  input: StepInput,
  claim: Claim,
  before: TakenLook,
): StepSession {
  return {
    ports,
    claim,
    step: input.step.name,
    evidence,
    clock,
    counts: { mutations: 0 },
    input,
    scope: scope(),
    before: before.observation,
    slow: before.slow,
    notes: [],
  };
}

/** The inventory is compared only where the step read it anew. */
function verdictsOf(
  input: StepInput,
  before: ClusterObservation,
  after: ClusterObservation,
  orphanMs: number,
): readonly GateVerdict[] {
  const orphaned = clusterOwner(before, input.policy.lock.controllers) === 'none';
  return hardGates(after, {
    controllers: input.policy.lock.controllers,
    // A step that began without an owner did not lose it; how long it has been so the guard knows.
    orphanMs: orphaned ? 0 : orphanMs,
    orphanBudgetMs: input.timings.orphanBudgetMs,
    inventory: changedParts(input.step.effect).includes('inventory') ? before.inventory : null,
  });
}
