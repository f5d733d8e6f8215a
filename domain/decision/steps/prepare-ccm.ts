import { makeFinding } from '../../findings/catalogue.js';
import type { Finding } from '../../findings/finding.js';
import type { ClusterFacts } from '../../ownership/cluster-facts.js';
import { inTreeManifests } from '../../ownership/cluster-facts.js';
import type { MigrationPolicy } from '../../policy.js';
import { foreignWorkload, stopCommand } from './foreign-ccm.js';
import {
  NOT_NEEDED,
  type Proposal,
  type StepRule,
  blocked,
  propose,
  sharesLock,
} from './step-rule.js';

/** Identity, least-privilege role and workload of the CCM, on no node yet. */
export const prepareCcm: StepRule = {
  name: 'prepareCcm',
  phase: 'prepareCcm',
  propose: (facts) => {
    const { observation, policy } = facts;
    const { access } = observation;
    if (policy.strategy === 'leaderMigration' && policy.ccm.leaderMigration === 'absent') {
      return blocked(
        makeFinding('CCM2009', {
          subject: `image ${policy.ccm.image}`,
          seen: 'ccm.leaderMigration: absent',
        }),
      );
    }
    const foreign = foreignWorkload(facts);
    if (foreign !== null) return blocked(foreign);
    if (access.ccmAccess === 'present' && !lacksWorkload(facts)) return NOT_NEEDED;
    if (access.ccmAccess !== 'present' && isProvided(policy)) {
      return blocked(
        makeFinding('CCM2019', { subject: 'access of the CCM', seen: access.ccmAccess }),
      );
    }
    return propose(
      prepareCcm,
      'the CCM gets its identity and rights before it starts',
      { kind: 'setAccess', access: 'ccmAccess', want: 'present' },
      ['CCM3002'],
    );
  },
};

/** Whether an administrator has applied the access beforehand: then no run creates or removes any of it. */
function isProvided({ clusterAccess }: Pick<MigrationPolicy, 'clusterAccess'>): boolean {
  return clusterAccess === 'provided';
}

/** Provided access says nothing about the DaemonSet, which otherwise comes with it. */
function lacksWorkload({ observation: { ccmWorkload }, policy }: ClusterFacts): boolean {
  return isProvided(policy) && policy.ccm.deployAs === 'daemonSet' && ccmWorkload.source === 'none';
}

/**
 * A Role and RoleBinding of our own for the migration Lease. Without it a manager keeps its main lock, runs no cloud
 * controller and still reports healthy (P5, P19), so it comes before any manager is configured to use it.
 */
export const grantLeaseAccess: StepRule = {
  name: 'grantLeaseAccess',
  phase: 'grantLeaseAccess',
  propose: (facts) => {
    if (!needsGrant(facts) || isGranted(facts)) return NOT_NEEDED;
    if (isProvided(facts.policy)) return blocked(missingGrant(facts));
    return propose(
      grantLeaseAccess,
      'KCM and CCM need access to the migration Lease before they are configured to use it',
      { kind: 'setAccess', access: 'leaseGrant', want: 'present' },
      ['CCM3002'],
    );
  },
};

function needsGrant({ target, policy, kcms, ccms, inTree, presentCcms }: ClusterFacts): boolean {
  if ([...kcms, ...ccms].some(({ leaderMigrationOn }) => leaderMigrationOn)) return true;
  if (!sharesLock(policy.strategy)) return false;
  if (target === 'kcm') return presentCcms.length > 0;
  return inTree.length > 0 || policy.disableLeaderMigration === 'never';
}

function isGranted({ observation: { access } }: ClusterFacts): boolean {
  return (
    access.leaseGrant === 'present' &&
    access.mayUseMigrationLease.kcm === 'yes' &&
    access.mayUseMigrationLease.ccm === 'yes'
  );
}

function missingGrant({ observation: { access } }: ClusterFacts): Finding {
  const { kcm, ccm } = access.mayUseMigrationLease;
  return makeFinding('CCM2019', {
    subject: 'access to the migration Lease',
    seen: `${access.leaseGrant}; may use it: kcm ${kcm}, ccm ${ccm}`,
  });
}

/**
 * Stores what a rollback needs (KCM manifest, inventory digests) from any in-tree manifest that exists, even where the
 * migration was started by hand: once the last one is gone, there is nothing to restore from.
 */
export const recordBaseline: StepRule = {
  name: 'recordBaseline',
  phase: 'preflight',
  propose: ({ observation }) => {
    if (observation.baseline !== null || inTreeManifests(observation).length === 0) {
      return NOT_NEEDED;
    }
    return propose(
      recordBaseline,
      'the KCM manifest and the inventory are stored, so that every later state can be rolled back',
      { kind: 'recordBaseline' },
      ['CCM3001', 'CCM3002'],
    );
  },
};

/**
 * A repair that removes a KCM's loops needs this step first, because the strategies, which record it, only run after
 * the repairs.
 */
export function recordedFirst(facts: ClusterFacts, repair: Proposal): Proposal {
  const recording = recordBaseline.propose(facts);
  return recording.kind === 'notNeeded' ? repair : recording;
}

/** Removes the workload, then the identity of the CCM: the last part of a rollback, after `stopCcm` has stopped all. */
export const removeCcmAccess: StepRule = {
  name: 'removeCcmAccess',
  phase: 'removeCcm',
  propose: ({ observation: { access, ccmWorkload }, policy }) => {
    const workload = ccmWorkload.source === 'daemonSet' || ccmWorkload.source === 'deployment';
    if (workload && ccmWorkload.owner !== 'ours') {
      return blocked(
        makeFinding('CCM2014', {
          subject: `${ccmWorkload.source} ${ccmWorkload.name}`,
          seen: `it would restart a CCM and is not ours to remove; stop it with ${stopCommand(ccmWorkload.source, ccmWorkload.name, 'its node')}`,
        }),
      );
    }
    if (workload) {
      return propose(
        removeCcmAccess,
        `${ccmWorkload.source} ${ccmWorkload.name} must not restart a CCM`,
        { kind: 'removeCcmWorkload' },
      );
    }
    if (access.ccmAccess === 'absent' || isProvided(policy)) return NOT_NEEDED;
    return propose(removeCcmAccess, 'no CCM is left that needs the identity', {
      kind: 'setAccess',
      access: 'ccmAccess',
      want: 'absent',
    });
  },
};

/** Removes the migration Lease, then the grant: last, when no process uses them and policy wants them removed. */
export const revokeLeaseAccess: StepRule = {
  name: 'revokeLeaseAccess',
  phase: 'disableLeaderMigration',
  propose: (facts) => {
    if (!isUnused(facts)) return NOT_NEEDED;
    if (facts.migrationLease !== undefined) {
      return propose(revokeLeaseAccess, 'no process uses the migration Lease', {
        kind: 'deleteMigrationLease',
      });
    }
    if (facts.observation.access.leaseGrant === 'absent' || isProvided(facts.policy)) {
      return NOT_NEEDED;
    }
    return propose(revokeLeaseAccess, 'no process uses the right to the migration Lease', {
      kind: 'setAccess',
      access: 'leaseGrant',
      want: 'absent',
    });
  },
};

function isUnused({ target, policy, kcms, ccms, presentCcms }: ClusterFacts): boolean {
  if ([...kcms, ...ccms].some(({ leaderMigrationOn }) => leaderMigrationOn)) return false;
  return target === 'ccm'
    ? policy.disableLeaderMigration === 'afterSoak'
    : policy.leaderMigrationAfterRollback === 'off' && presentCcms.length === 0;
}
