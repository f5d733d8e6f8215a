import type { StrategyName } from '../../policy.js';
import { gap } from './gap.js';
import { leaderMigration } from './leader-migration.js';
import type { Strategy } from './strategy.js';

export function strategyOf(name: StrategyName): Strategy {
  switch (name) {
    case 'leaderMigration':
      return leaderMigration;
    case 'gap':
      return gap;
  }
}
