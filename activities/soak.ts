import type { GateVerdict } from '../domain/gates.js';
import { worst } from '../domain/gates.js';
import { hardGates } from '../domain/hard-gates.js';
import { clusterOwner } from '../domain/facts/owners.js';
import type { LoadBalancer } from '../domain/load-balancers.js';
import type { Inventory } from '../domain/observation.js';
import type { SoakInput, SoakReport } from './contract.js';
import type { ActivityDependencies, ClusterConnection } from './dependencies.js';
import type { Claim } from './fence/fence-verdict.js';
import { setFenceMode } from './fence/fence-mode.js';
import { requireFence } from './fence/read-fence.js';
import { sinceInventory } from './observe/load-balancers.js';
import type { SlowMemory } from './observe/slow-memory.js';
import type { TakenLook } from './observe/take-look.js';

/** What a soak remembers between samples and over restarts. Plain JSON. */
interface SoakMemory {
  readonly soak: 1;
  readonly startedAtMs: number;
  readonly inventory: Inventory;
  readonly verdicts: readonly GateVerdict[];
  readonly orphanedSinceMs: number | null;
}

/** Samples are this far apart, so that even a short soak has several and a long one costs little. */
const SHARE_OF_SOAK = 20;

/**
 * Watches the cluster for `soakMs` with nothing changing: samples the hard gates, the inventory with them, and
 * keeps the worst verdict of each. The fence is renewed less often meanwhile. Only reads, so it may be cut off
 * at any time; a restart goes on where it was.
 */
export async function soakCluster(
  { clock, scope: openScope }: ActivityDependencies,
  memory: SlowMemory,
  connection: ClusterConnection,
  input: SoakInput,
): Promise<SoakReport> {
  const scope = openScope();
  const claim: Claim = { ...input, cures: [] };
  const fence = await requireFence(connection.api, claim, { timeoutMs: input.timings.requestMs });
  if (fence.mode !== 'idle') await setFenceMode(connection.api, claim, fence, 'idle');
  let sightings = input.sightings;
  const sample = async (): Promise<TakenLook> => {
    const look = await memory.look(
      connection,
      clock,
      { ...input, sightings },
      { refresh: ['inventory'] },
    );
    sightings = look.sightings;
    return look;
  };
  let look = await sample();
  let state = remembered(scope.lastHeartbeat) ?? begin(look, clock.nowMs());
  const intervalMs = Math.max(input.timings.guardMs, input.soakMs / SHARE_OF_SOAK);
  const { loadBalancers: then } = look.slow;
  state = addSample(state, look, then, input);
  while (clock.nowMs() - state.startedAtMs < input.soakMs) {
    scope.heartbeat(state);
    await clock.sleep(intervalMs, scope.signal);
    look = await sample();
    state = addSample(state, look, then, input);
  }
  return { observation: look.observation, sightings, verdicts: state.verdicts };
}

function begin({ observation }: TakenLook, nowMs: number): SoakMemory {
  return {
    soak: 1,
    startedAtMs: nowMs,
    inventory: observation.inventory,
    verdicts: [],
    orphanedSinceMs: null,
  };
}

function addSample(
  state: SoakMemory,
  { observation, slow }: TakenLook,
  then: readonly LoadBalancer[] | null,
  input: SoakInput,
): SoakMemory {
  const { controllers } = input.policy.lock;
  const now = observation.observedAtMs;
  const orphaned = clusterOwner(observation, controllers) === 'none';
  const orphanedSinceMs = orphaned ? (state.orphanedSinceMs ?? now) : null;
  const verdicts = hardGates(observation, {
    controllers,
    orphanMs: orphanedSinceMs === null ? 0 : now - orphanedSinceMs,
    orphanBudgetMs: input.timings.orphanBudgetMs,
    inventory: sinceInventory(state.inventory, then, slow.loadBalancers),
  });
  return { ...state, orphanedSinceMs, verdicts: worstOfEach(state.verdicts, verdicts) };
}

/** The worst verdict of each gate, with the detail it was seen with. */
function worstOfEach(
  before: readonly GateVerdict[],
  now: readonly GateVerdict[],
): readonly GateVerdict[] {
  return now.map((verdict) => {
    const known = before.find(({ gate }) => gate === verdict.gate);
    if (known === undefined || known.verdict === verdict.verdict) return verdict;
    return worst([known.verdict, verdict.verdict]) === known.verdict ? known : verdict;
  });
}

function remembered(details: unknown): SoakMemory | null {
  if (typeof details !== 'object' || details === null) return null;
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- our own heartbeat of the attempt before; the mark tells it from anything else
  return 'soak' in details && details.soak === 1 ? (details as SoakMemory) : null;
}
