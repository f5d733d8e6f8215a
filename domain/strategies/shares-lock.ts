import type { StrategyName } from '../policy.js';

/** Whether KCM and CCM exclude each other by a shared migration lock, or only by never running at the same time. */
export function sharesLock(strategy: StrategyName): boolean {
  switch (strategy) {
    case 'leaderMigration':
      return true;
    case 'gap':
      return false;
  }
}
