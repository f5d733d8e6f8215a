import { ApplicationFailure } from '@temporalio/workflow';
import type { FleetGiven, FleetMigrationInput } from '../../activities/fleet-input.js';

/** A last check of an input that was validated before it was sent: what does not fit together would fail its tasks for ever. */
export function refuseBadFleet(input: FleetMigrationInput): void {
  const { fleet, actor, reason, given, carried } = input;
  const texts = Object.entries({ fleet, actor, reason });
  const problems = [
    ...texts.filter(([, text]) => text.trim() === '').map(([name]) => `${name} is empty`),
    ...((given === null) === (carried === null) ? ['it has no plan'] : []),
    ...(given === null ? [] : misfits(given)),
  ];
  if (problems.length === 0) return;
  throw ApplicationFailure.create({
    type: 'InvalidInput',
    message: `the fleet was not started: ${problems.join('; ')}`,
    nonRetryable: true,
  });
}

/** What of a plan does not fit together. */
export function misfits({ plan, waves, members }: FleetGiven): readonly string[] {
  const { rows } = plan;
  const strays = rows.filter(({ wave }) => plan.waves[wave] === undefined);
  return [
    ...(plan.waves.length === waves.length ? [] : ['not every wave has its settings']),
    ...(rows.length === members.length ? [] : ['not every cluster has its plan']),
    ...(rows.length === 0 ? ['it has no cluster'] : []),
    ...strays.map(({ name }) => `${name} is in no wave`),
  ];
}
