import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

const shell = { name: 'rollWorkers', phase: 'rollWorkers' } as const;

/**
 * Switches worker kubelets to `external`, a batch at a time, once the CCM owns. One of unknown state counts as not
 * switched.
 */
export const rollWorkers: StepRule = {
  ...shell,
  propose: ({ observation: { inventory }, policy }) => {
    const { total, kubeletExternal } = inventory.workers;
    const left = total - kubeletExternal;
    if (!policy.rollWorkers.enabled || left === 0) return NOT_NEEDED;
    return propose(shell, `${String(left)} kubelets do not run with an external provider yet`, {
      kind: 'switchKubelets',
      to: 'external',
      batchSize: policy.rollWorkers.batchSize,
    });
  },
};

/**
 * Back to in-tree before the last CCM stops: only a CCM clears the uninitialized taint of new nodes. One of unknown state may
 * be external.
 */
export const returnWorkers: StepRule = {
  ...shell,
  propose: ({ observation: { inventory }, policy, presentCcms }) => {
    const { total, kubeletInTree } = inventory.workers;
    const left = total - kubeletInTree;
    if (!policy.rollWorkers.enabled || left === 0 || presentCcms.length === 0) return NOT_NEEDED;
    return propose(shell, `${String(left)} kubelets still wait for a CCM when they register`, {
      kind: 'switchKubelets',
      to: 'inTree',
      batchSize: policy.rollWorkers.batchSize,
    });
  },
};
