import { clusterWorkflowId } from '../../config/names.js';
import type { FleetEvent } from '../../domain/fleet/fleet-events.js';
import {
  INPUT_REFUSED,
  memberEndOf,
  reversibilityIn,
} from '../../domain/fleet/member-milestones.js';
import type { RunOutcome } from '../../domain/run/outcome.js';
import type { SweepInput, SweepReport } from '../fleet-contract.js';
import type { FleetDependencies } from './fleet-dependencies.js';
import type { FleetFacts } from './fleet-facts.js';
import { inParallel } from './in-parallel.js';
import type { DescribedRun } from './run-directory.js';

type Swept = Extract<FleetEvent, { kind: 'swept' }>['found'];

/** What has become of runs that are silent. An open one may go on being so. */
export async function sweepRuns(
  { directory }: Pick<FleetDependencies, 'directory'>,
  { rows }: FleetFacts,
  input: SweepInput,
): Promise<SweepReport> {
  const found = await inParallel(input.rows, async ({ row, grant }) => {
    const uid = rows[row]?.uid;
    const run = uid === undefined ? NOTHING : await directory.describe(clusterWorkflowId(uid));
    const became = becomeOf(run, { fleetRun: input.fleetRun, row });
    return became === null ? [] : [{ row, grant, found: became }];
  });
  const regions = new Set(input.rows.flatMap(({ row }) => rows[row]?.region ?? []));
  const served = await inParallel([...regions], async (region) =>
    (await directory.serviceOf(region)) === 'unserved' ? [region] : [],
  );
  return { found: found.flat(), unservedRegions: served.flat() };
}

const NOTHING: DescribedRun = { kind: 'none' };

/** Null while the run is open. A run that left no outcome, or that another has replaced, counts as terminated. */
function becomeOf(
  run: DescribedRun,
  of: { readonly fleetRun: string; readonly row: number },
): Swept | null {
  if (run.kind === 'none') return { kind: 'terminated' };
  const { member } = run;
  // A run that was adopted has no memo of it.
  const isOurs = member === null || (member.fleetRun === of.fleetRun && member.row === of.row);
  if (!isOurs) return { kind: 'terminated' };
  if (run.kind === 'open') return null;
  if (run.outcome !== null) return endOf(run.outcome);
  return run.refusedInput === true ? INPUT_REFUSED : { kind: 'terminated' };
}

function endOf(outcome: RunOutcome): Swept {
  return {
    kind: 'ended',
    outcome: memberEndOf(outcome),
    changed: outcome.stepsDone > 0,
    signature: outcome.failureType ?? '',
    // Who asked is in the report that was lost; the rule knows of its own commands.
    asked: false,
    reversibility: reversibilityIn(outcome.reversibility),
  };
}
