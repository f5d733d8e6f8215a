import { FLEET_ATTRIBUTE } from '../runs/find-run.js';
import type { Client } from '@temporalio/client';
import { FLEET_MIGRATION } from '../../config/names.js';
import { encodeFleet } from '../../domain/fleet/encoded-fleet.js';
import { EMPTY_OUTBOX } from '../../domain/fleet/fleet-outbox.js';
import type { FleetCommand } from '../../domain/fleet/fleet-command.js';
import type { FleetState } from '../../domain/fleet/fleet-state.js';
import {
  fleetCommandSignal,
  type FleetMigrationInput,
  type FleetOutcome,
} from '../../workflows/messages/fleet-messages.js';
import { inputOfFleet, settingsIn, type FleetRunView } from './fleet-run.js';

/**
 * Opens a fleet again that has ended, with a command as its first message: otherwise it would end before the command arrives. The
 * new run begins with the state in which the former one ended. Where a run is open by now it gets the command, as if it had been
 * sent to it. Null where the server no longer has what the fleet was started with, and nothing was sent.
 */
export async function reopenWith(
  client: Client,
  { fleet, workflowId, runId, files }: FleetRunView,
  state: FleetState,
  command: FleetCommand,
): Promise<'sent' | null> {
  const former = await inputOfFleet(client, { workflowId, runId });
  const settings = settingsIn(former);
  if (former === null || settings === null) return null;
  const { waves, members, authority } = settings;
  const { actor, reason, ticket } = former;
  const { taskQueue } = await client.workflow.getHandle(workflowId, runId).describe();
  const nowMs = Date.now();
  const input: FleetMigrationInput = {
    ...former,
    given: null,
    carried: {
      ...{ state: encodeFleet(state), outbox: EMPTY_OUTBOX, waves, members },
      ...{ requests: [], sweptAtMs: nowMs, openUntilMs: 0 },
      ...(authority === undefined ? {} : { authority }),
    },
  };
  await client.workflow.signalWithStart<
    (input: FleetMigrationInput) => Promise<FleetOutcome>,
    [FleetCommand]
  >(FLEET_MIGRATION, {
    ...{ workflowId, taskQueue, args: [input] },
    ...{ signal: fleetCommandSignal, signalArgs: [command] },
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    memo: { actor, reason, ticket, fleet, files: [...files] },
    typedSearchAttributes: [{ key: FLEET_ATTRIBUTE, value: fleet }],
    staticSummary: `fleet ${fleet}, ${members.length} clusters, opened again`,
  });
  return 'sent';
}
