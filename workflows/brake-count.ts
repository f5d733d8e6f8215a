import { alertOvertakes } from '../domain/run/automation.js';

/** Brakes that have arrived: none is undone by what was sent before it and is admitted later. */
export interface BrakeCount {
  readonly add: (whose: { readonly isAlert: boolean }) => void;
  /** Whether one that arrives from now on overtakes this command. */
  readonly sinceNow: (verb: string) => () => boolean;
}

export function countBrakes(): BrakeCount {
  const count = { ofPeople: 0, ofAlerts: 0 };
  return {
    add: ({ isAlert }) => {
      count[isAlert ? 'ofAlerts' : 'ofPeople'] += 1;
    },
    sinceNow: (verb) => {
      const { ofPeople, ofAlerts } = count;
      return () => count.ofPeople > ofPeople || (alertOvertakes(verb) && count.ofAlerts > ofAlerts);
    },
  };
}
