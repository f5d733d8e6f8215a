import { failure } from '../failures.js';
import type { Machines } from '../ports.js';
import type { StepSession } from './step-session.js';

/** The provider of machines; a cluster without one can only be changed in place. */
export function machinesOf({ ports, step }: StepSession): Machines {
  if (ports.machines !== null) return ports.machines;
  throw failure(
    'NotSupported',
    `step ${step} needs a machines API and the inventory names none for this cluster. ` +
      'Configure machinesApi, or choose nodes.forward: inPlace',
  );
}

/**
 * Idempotency key of a request: workflow run, step and machine. The epoch is not part of it, because a step retried in a
 * newer epoch must not request a second machine.
 */
export function machineKey({ claim, step }: StepSession, machine: string): string {
  return `${claim.workflowId}/${claim.runId}/${step}/${machine}`;
}
