import { WORKER_USER } from '../../../../domain/access/worker-role.js';
import {
  chainComplaints,
  endComplaints,
  fenceComplaints,
  ownerComplaints,
  ruleComplaints,
} from '../../../support/run-complaints.js';
import type { LabDirection } from './lab-direction.js';
import type { LabRuns } from './lab-runs.js';

/** Everything that is not as it must be after a direction, as text; overlapping owners are checked separately. */
export async function judgeLabDirection(
  environment: LabRuns,
  direction: LabDirection,
): Promise<readonly string[]> {
  const { target, outcome, truth, records, contradictions } = direction;
  const { fleet, snapshot } = environment.parts;
  return [
    ...endComplaints(target, outcome),
    ...ruleComplaints(await snapshot(), target, fleet.policy),
    ...environment.leftovers().map((file) => `${file} was left behind`),
    ...fenceComplaints(await environment.fenceHolder()),
    ...ownerComplaints(truth, target),
    ...contradictions.map((one) => `the sources contradict each other: ${one}`),
    ...chainComplaints(records, outcome),
    ...forbiddenTo(environment),
  ];
}

/** The least role has everything: no request of a worker is refused, not even one that it could do without. */
function forbiddenTo({ lab, cluster }: LabRuns): readonly string[] {
  const requests = lab.truth(cluster.name).requests(0);
  const paths = requests.filter(({ user, forbidden }) => forbidden && user === WORKER_USER);
  return [...new Set(paths.map(({ path }) => `forbidden to the worker: ${path}`))];
}
