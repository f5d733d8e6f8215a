import type { StepRule } from '../steps/step-rule.js';
import type { Target } from '../../vocabulary.js';

/** The rules of a strategy toward each target, in the order in which they are asked. */
export type Strategy = Readonly<Record<Target, readonly StepRule[]>>;
