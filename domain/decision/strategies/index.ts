import type { StrategyName } from '../../policy.js';
import { gap } from './gap.js';
import { leaderMigration } from './leader-migration.js';
import type { Strategy } from './strategy.js';

export const STRATEGIES: Readonly<Record<StrategyName, Strategy>> = { leaderMigration, gap };
