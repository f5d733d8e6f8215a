import { clusterWorkflowId } from '../../config/names.js';
import type { OtherCounts, OthersInput } from '../fleet-contract.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import type { FleetFacts } from './fleet-facts.js';
import type { ListedRun } from './run-directory.js';

/** More open runs than any namespace is meant for. */
const MOST_RUNS = 20_000;

/** How many runs of others change clusters, in the groups that caps of this fleet are about. */
export async function countOtherRuns(
  { directory }: Pick<FleetDependencies, 'directory'>,
  { rows }: FleetFacts,
  { fleetRun, labels, open }: OthersInput,
): Promise<OtherCounts> {
  const ofLabels = (group: string): boolean =>
    labels.some((label) => group.startsWith(`${label}=`));
  const capped = new Set(rows.flatMap(({ groups }) => groups.filter(ofLabels)));
  const adopted = new Set(open.flatMap((row) => rows.slice(row, row + 1).map(workflowIdOf)));
  const runs = await directory.openRuns(MOST_RUNS);
  const others = runs.filter((run) => !run.soaks && !isOurs(run, fleetRun, adopted));
  const counts = new Map<string, number>();
  for (const { groups } of others) {
    for (const group of new Set(groups)) {
      if (capped.has(group)) counts.set(group, (counts.get(group) ?? 0) + 1);
    }
  }
  return {
    counts: Object.fromEntries(counts),
    unlabelled: others.filter(({ groups }) => groups === null).length,
  };
}

function workflowIdOf({ uid }: FleetFacts['rows'][number]): string {
  return clusterWorkflowId(uid);
}

/** A run that was started for a row says so, whichever execution of the fleet started it; one that was adopted does not. */
function isOurs(
  { member, workflowId }: ListedRun,
  fleetRun: string,
  adopted: ReadonlySet<string>,
): boolean {
  return member === null ? adopted.has(workflowId) : member.fleetRun === fleetRun;
}
