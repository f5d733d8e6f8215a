import type { Rollout } from '../kinds/rollout.js';
import { didYouMean } from '../nearest-name.js';
import type { Complain } from './complain.js';
import type { FleetMember } from './fleet-members.js';
import { labelKeysOf } from './fleet-members.js';

/** Limits under which no cluster, or not the intended ones, could start. */
export function rolloutProblems(
  rollout: Rollout,
  members: readonly FleetMember[],
  complain: Complain,
): void {
  const { inFlight, unproven, failureBudget, startAt, deadline } = rollout;
  if (unproven !== undefined && unproven < inFlight) {
    const message = `less than inFlight ${String(inFlight)}: each cluster in flight is unproven too`;
    complain({ path: ['spec', 'rollout', 'unproven'], message, code: 'CCM5025' });
  }
  if (failureBudget.clusters !== undefined && failureBudget.percent !== undefined) {
    const message = 'only one of clusters and percent can be given';
    complain({
      ...{ path: ['spec', 'rollout', 'failureBudget', 'percent'], message },
      ...{ about: 'key', code: 'CCM5010' },
    });
  }
  if (
    startAt !== undefined &&
    deadline !== undefined &&
    Date.parse(startAt) >= Date.parse(deadline)
  ) {
    const message = `not after startAt ${startAt}`;
    complain({ path: ['spec', 'rollout', 'deadline'], message, code: 'CCM5030' });
  }
  capProblems(rollout, members, complain);
}

function capProblems({ caps }: Rollout, members: readonly FleetMember[], complain: Complain): void {
  const known = labelKeysOf(members);
  for (const label of Object.keys(caps)) {
    if (known.includes(label)) continue;
    const message = `no cluster of this fleet has this label${didYouMean(label, known)}`;
    complain({ path: ['spec', 'rollout', 'caps', label], about: 'key', message, code: 'CCM5026' });
  }
}
