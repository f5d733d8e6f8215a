import type { SeenLimits } from './fleet-command.js';
import type { FleetState, PendingLimits } from './fleet-state.js';

const LIMITS = ['inFlight', 'unproven'] as const satisfies readonly (keyof SeenLimits)[];

/** Which of two limits are higher than those in force: only these wait for another person. */
export function higherLimits(wanted: SeenLimits, now: SeenLimits): readonly (keyof SeenLimits)[] {
  return LIMITS.filter((name) => wanted[name] > now[name]);
}

/**
 * What the fleet would take if another person approved now: a limit that no one asked to raise is the one in force, whatever it was when the
 * other was asked for. Null where nothing waits.
 */
export function awaitedLimits({ pendingLimits, policy, nowMs }: FleetState): PendingLimits | null {
  if (pendingLimits === null || nowMs >= pendingLimits.atMs + policy.approvalExpiryMs) return null;
  // Older builds did not say which of them was asked for, and took both.
  const { asked = LIMITS } = pendingLimits;
  const take = (name: keyof SeenLimits): number =>
    (asked.includes(name) ? pendingLimits : policy)[name];
  return { ...pendingLimits, inFlight: take('inFlight'), unproven: take('unproven') };
}

export function limitsText({ inFlight, unproven }: SeenLimits): string {
  return `${inFlight} in flight and ${unproven} unproven`;
}
