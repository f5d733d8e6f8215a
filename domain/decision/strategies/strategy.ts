import type { StrategyName } from '../../policy.js';
import type { StepRule } from '../steps/step-rule.js';
import type { Target } from '../../vocabulary.js';

/** The rules of a strategy toward each target, in the order in which they are asked. */
export interface Strategy {
  readonly name: StrategyName;
  readonly toward: Readonly<Record<Target, readonly StepRule[]>>;
}
