import type { FleetActivities, FleetRef } from '../fleet-contract.js';
import { keepHeartbeat } from '../index.js';
import { requireOwnRun } from '../require-own-run.js';
import { admitFleetCommand, admitFleetRevision } from './admit-fleet-command.js';
import { broadcastOrders } from './broadcast.js';
import { countOtherRuns } from './count-others.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import { type FleetFacts, createFactsReader } from './fleet-facts.js';
import { startFleetClusters } from './start-clusters.js';
import { sweepRuns } from './sweep-runs.js';
import { openingsOfWaves } from './window-openings.js';

/** As the workflow demands it: its activities fail after 15 s of silence. */
const HEARTBEAT_MS = 12_000;

/** The activities of fleets: they talk to the server alone, so that any worker may run them. */
export function createFleetActivities(dependencies: FleetDependencies): FleetActivities {
  const readFacts = createFactsReader(dependencies.directory);
  const withFacts =
    <Input extends FleetRef, Result>(
      work: (own: FleetDependencies, facts: FleetFacts, input: Input) => Result | Promise<Result>,
    ) =>
    async (input: Input): Promise<Result> => {
      const scope = dependencies.scope();
      const { fleetWorkflowId: workflowId, fleetRun: runId } = input;
      await requireOwnRun(scope, { workflowId, runId });
      const kept = keepHeartbeat(scope, HEARTBEAT_MS);
      try {
        const own = { ...dependencies, scope: () => kept.scope };
        return await work(own, await readFacts(input), input);
      } finally {
        kept.stop();
      }
    };
  return {
    startClusters: withFacts(startFleetClusters),
    admitCommand: withFacts(admitFleetCommand),
    admitRevision: withFacts(admitFleetRevision),
    broadcast: withFacts((own, facts, input) => broadcastOrders(own, own.scope(), facts, input)),
    sweep: withFacts(sweepRuns),
    countOthers: withFacts(countOtherRuns),
    windowOpenings: withFacts((_, facts, input) => openingsOfWaves(facts, input)),
  };
}
