import {
  chainComplaints,
  endComplaints,
  fenceComplaints,
  ownerComplaints,
  ruleComplaints,
} from '../../../support/run-complaints.js';
import type { LabLeg } from './lab-leg.js';
import type { LabRuns } from './lab-runs.js';

/** Everything that is not as it must be after a direction, as text; overlapping owners are checked separately. */
export async function judgeLabLeg(world: LabRuns, leg: LabLeg): Promise<readonly string[]> {
  const { target, outcome, truth, records, contradictions } = leg;
  const { fleet, look } = world.parts;
  return [
    ...endComplaints(target, outcome),
    ...ruleComplaints(await look(), target, fleet.policy),
    ...world.leftovers().map((file) => `${file} was left behind`),
    ...fenceComplaints(await world.fenceHolder()),
    ...ownerComplaints(truth, target),
    ...contradictions.map((one) => `the sources contradict each other: ${one}`),
    ...chainComplaints(records, outcome),
  ];
}
