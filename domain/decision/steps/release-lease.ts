import type { ClusterFacts } from '../../ownership/cluster-facts.js';
import type { LeaseObservation, ManagerConfig } from '../../observation/observation.js';
import { sameLease, type LeaseRef } from '../../vocabulary.js';
import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/**
 * A Lease whose holder is proven dead is emptied, as client-go does on a clean exit: the handover then takes one poll (1-4 s)
 * instead of the expiry (15-20 s). For target `ccm` the migration Lease goes first (P17). A Lease of a live holder is never
 * emptied: that causes two owners for 10 s (P16).
 */
export const releaseLease: StepRule = {
  name: 'releaseLease',
  phase: 'repair',
  propose: (facts) => {
    const dead = facts.observation.leases.filter(
      (lease) => lease.holderState === 'dead' && lease.holder !== '' && isWanted(facts, lease),
    );
    const migration = dead.find((lease) => sameLease(lease, facts.policy.lock));
    const next = (facts.target === 'ccm' ? migration : undefined) ?? dead[0];
    if (next === undefined) return NOT_NEEDED;
    return propose(
      releaseLease,
      `the holder of Lease ${next.name} is proven dead; it is emptied for the waiting candidate`,
      {
        kind: 'releaseLease',
        lease: { namespace: next.namespace, name: next.name },
        holder: next.holder,
      },
      ['CCM3002'],
    );
  },
};

/** A live process waits for it; otherwise it is left to expire. */
function isWanted({ observation, kcms, ccms }: ClusterFacts, lease: LeaseObservation): boolean {
  const leaders = [...kcms, ...ccms].filter(({ leads }) => leads).map(({ node }) => node);
  return observation.nodes.some((node) =>
    [node.kcm, node.ccm].some(({ processes }) =>
      processes.some(({ config, liveness }) => {
        const asMain = sameLease(config.mainLock, lease);
        const asMigration = leaders.includes(node.name) && sameOptional(lockOf(config), lease);
        return liveness === 'running' && (asMain || asMigration);
      }),
    ),
  );
}

function lockOf({ leaderMigration }: ManagerConfig): LeaseRef | null {
  return leaderMigration.kind === 'on' ? leaderMigration.lock : null;
}

function sameOptional(a: LeaseRef | null, b: LeaseRef): boolean {
  return a !== null && sameLease(a, b);
}
