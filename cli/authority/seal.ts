import type { FleetCommand, FleetOrder } from '../../domain/fleet/fleet-command.js';
import type { OperatorVerb } from '../../domain/run/operator-verbs.js';
import type { FleetGiven } from '../../activities/fleet-input.js';
import type { Envelope } from '../../domain/authority/signed-envelope.js';
import type { Attribution } from '../runs/start-run.js';
import type { RunView } from '../runs/run-view.js';
import type { Seal } from '../runs/send-command.js';
import type { Asker } from './signing-key.js';

/**
 * Signs commands to a run with the key that is set up; leaves them as they are where none is, for workers without an access
 * policy.
 */
export async function sealFor(
  cli: Asker,
  verb: OperatorVerb,
  { workflowId, runId, status }: Pick<RunView, 'workflowId' | 'runId' | 'status'>,
): Promise<Seal> {
  const { signerFor } = await import('./signing-key.js');
  const signer = await signerFor(cli, verb);
  if (signer === null) return async (command) => command;
  const { sealedCommand } = await import('./sign-requests.js');
  // A run that continued as new is named by its first execution, which it says itself.
  const run = {
    workflowId,
    runId: status?.runId ?? runId,
    planDigest: status?.planDigest ?? '',
  };
  return (command) => sealedCommand(signer, run, command);
}

/** Signs a fleet; null where its sender has no key. */
export type SignFleet = (
  fleet: string,
  given: FleetGiven,
  who: Attribution,
) => Promise<Envelope | null>;

/** The same for a fleet. */
export async function fleetSigner(cli: Asker): Promise<SignFleet> {
  const { signerOf } = await import('./signing-key.js');
  const signer = await signerOf(cli);
  if (signer === null) return async () => null;
  const { signedFleet } = await import('./sign-requests.js');
  return (fleet, given, who) => signedFleet(signer, fleet, given, who);
}

/** The same for a command to a fleet. */
export async function fleetSealFor(
  cli: Asker,
  verb: FleetOrder['verb'],
  fleet: string,
): Promise<(command: FleetCommand) => Promise<FleetCommand>> {
  const { signerFor } = await import('./signing-key.js');
  const signer = await signerFor(cli, verb);
  if (signer === null) return async (command) => command;
  const { sealedFleetCommand } = await import('./sign-requests.js');
  return (command) => sealedFleetCommand(signer, fleet, command);
}
