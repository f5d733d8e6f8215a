import type { ClusterFacts, ManagerFact } from './cluster-facts.js';

/**
 * The final state that policy asks for: one owner of the right kind, every KCM of that kind with its process, and the CCMs as
 * policy says. Source: step rules §6.
 */
export function isReached(facts: ClusterFacts): boolean {
  const { target, owner, kcms } = facts;
  if (owner !== target || !kcms.every(stands)) return false;
  return target === 'ccm' ? isMigrated(facts) : isBack(facts);
}

/** A parked manifest, or a process that still runs from one, is not a final state. */
function stands({ running, inPlace }: ManagerFact): boolean {
  return running && inPlace;
}

function isMigrated({ kcms, external, ccms, policy }: ClusterFacts): boolean {
  if (external.length !== kcms.length || !ccms.every(stands)) return false;
  // Strategy gap shares no lock, so the lock of a CCM found here does not matter.
  if (policy.strategy === 'gap') return true;
  return policy.disableLeaderMigration === 'never'
    ? ccms.every(({ protection }) => protection === 'protected')
    : !ccms.some(({ leaderMigrationOn }) => leaderMigrationOn);
}

function isBack({ kcms, inTree, presentCcms, observation, policy }: ClusterFacts): boolean {
  if (inTree.length !== kcms.length || presentCcms.length > 0) return false;
  if (observation.ccmWorkload.source !== 'none') return false;
  if (policy.strategy === 'gap') return true;
  return policy.leaderMigrationAfterRollback === 'keep'
    ? !inTree.some(({ onWrongLock }) => onWrongLock)
    : !inTree.some(({ leaderMigrationOn }) => leaderMigrationOn);
}
