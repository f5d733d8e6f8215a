import type { Client } from '@temporalio/client';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { sentBytes } from '../../config/compressed-payloads.js';
import { FLEET_MIGRATION, FLEET_TASK_QUEUE, fleetWorkflowId } from '../../config/names.js';
import { encodeFleet } from '../../domain/fleet/encoded-fleet.js';
import { beginFleet } from '../../domain/fleet/fleet-state.js';
import type { FleetPlanDocument } from '../../config/outputs/fleet-plan-document.js';
import type {
  FleetGiven,
  FleetMigrationInput,
  FleetOutcome,
} from '../../workflows/messages/fleet-messages.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import type { SignFleet } from '../authority/seal.js';
import { CliError } from '../cli-error.js';
import { FLEET_ATTRIBUTE } from '../runs/find-run.js';
import type { Attribution } from '../runs/start-run.js';
import { typedCommand } from '../typed-command.js';

export interface StartedFleet {
  readonly workflowId: string;
  readonly runId: string;
}

/** Starts the run of a fleet. Its workflow id is the mutex: a second one of the same name is refused. */
export async function startFleet(
  client: Client,
  plan: FleetPlanDocument,
  who: Attribution,
  files: readonly string[],
  sign: SignFleet = async () => null,
): Promise<StartedFleet> {
  const { fleet } = plan;
  const input = fleetInput(plan, who, await sign(fleet, fleetGiven(plan, who.actor), who));
  refuseTooLarge(input);
  const workflowId = fleetWorkflowId(fleet);
  try {
    const handle = await client.workflow.start<
      (input: FleetMigrationInput) => Promise<FleetOutcome>
    >(FLEET_MIGRATION, {
      workflowId,
      taskQueue: FLEET_TASK_QUEUE,
      args: [input],
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      workflowIdConflictPolicy: 'FAIL',
      memo: { ...who, fleet, files: [...files] },
      typedSearchAttributes: [{ key: FLEET_ATTRIBUTE, value: fleet }],
      staticSummary: `fleet ${fleet}, ${plan.clusters.length} clusters`,
    });
    return { workflowId, runId: handle.firstExecutionRunId };
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) throw isOpen(fleet);
    throw error;
  }
}

function isOpen(fleet: string): CliError {
  return new CliError('CCM4031', `fleet ${fleet} was started by someone else meanwhile`, {
    fix: `Follow it with \`${typedCommand(['status', fleet, '-w'])}\`; the same command again gives it this plan.`,
    state: 'nothing was changed',
  });
}

/** Everything that the runs of the fleet need: they read no file. */
export function fleetInput(
  plan: FleetPlanDocument,
  who: Attribution,
  authority: Envelope | null = null,
): FleetMigrationInput {
  const given = fleetGiven(plan, who.actor);
  const signed = authority === null ? given : { ...given, authority };
  return { fleet: plan.fleet, ...who, given: signed, carried: null };
}

/** A plan as the fleet's workflow takes it. */
export function fleetGiven(plan: FleetPlanDocument, requester: string): FleetGiven {
  const { digest, rollout, waves, clusters, skipped } = plan;
  return {
    plan: {
      ...{ requester, planDigest: digest, revision: 1, policy: rollout },
      waves: waves.map((wave) => wave.plan),
      rows: clusters.map(({ name, wave, canary, groups, expectedMs }) => ({
        ...{ name, wave, canary, groups, expectedMs },
      })),
    },
    waves: waves.map(({ plan: _plan, ...settings }) => settings),
    members: clusters.map(({ uid, region, planDigest }) => ({ uid, region, planDigest })),
    skipped: skipped.map(({ name, kind, code }) => ({ name, kind, code })),
  };
}

/** What the state of a cluster may still grow by: times, grants and signatures. */
const GROWTH_BYTES = 60;

/** Later executions carry the state instead of the plan. */
function carriedBytes({ plan, waves, members }: FleetGiven): number {
  const state = encodeFleet(beginFleet({ ...plan, fleetRun: '' }, Date.now()));
  return sentBytes({ state, waves, members }) + GROWTH_BYTES * members.length;
}

/** Below Temporal's limit of 2 MiB for one payload, with room for what the server adds. */
const LARGEST_INPUT_BYTES = 1.8 * 1024 * 1024;

/** @throws CliError CCM5032 for a fleet that one workflow cannot carry. */
export function refuseTooLarge({ fleet, given, ...input }: FleetMigrationInput): void {
  const first = sentBytes({ fleet, given, ...input });
  refuseBytes(fleet, given === null ? first : Math.max(first, carriedBytes(given)));
}

/** @throws CliError CCM5032 for a size that one run of a fleet cannot carry. */
export function refuseBytes(fleet: string, bytes: number): void {
  if (bytes <= LARGEST_INPUT_BYTES) return;
  const size = (bytes / 1024 / 1024).toFixed(1);
  throw new CliError('CCM5032', `fleet ${fleet} needs ${size} MiB, and 1.8 MiB fit into one run`);
}
