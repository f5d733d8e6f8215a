import { nextStep } from '../next-step.js';
import { waivableBy } from './waivable.js';

/** What the loop asks the rules; tests give their own. */
export interface RunRules {
  readonly nextStep: typeof nextStep;
  readonly waivableBy: (code: string) => 'approve' | 'skip' | 'never';
}

export const RUN_RULES: RunRules = { nextStep, waivableBy };
