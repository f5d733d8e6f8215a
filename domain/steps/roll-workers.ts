import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

const shell = {
  name: 'rollWorkers',
  phase: 'rollWorkers',
  safePoint: 'betweenPods',
  suspends: 'the kubelets of one batch while they restart',
} as const;

/** Kubelets of the workers to `external`, a batch at a time, after the CCM owns. */
export const rollWorkers: StepRule = {
  ...shell,
  propose: ({ observation: { inventory }, policy }) => {
    if (!policy.rollWorkers.enabled || inventory.workers.kubeletInTree === 0) return NOT_NEEDED;
    return propose(
      shell,
      `${String(inventory.workers.kubeletInTree)} kubelets still use the in-tree provider`,
      { kind: 'switchKubelets', to: 'external', batchSize: policy.rollWorkers.batchSize },
    );
  },
};

/** Back in-tree before the last CCM stops: nobody else clears the uninitialized taint of new nodes. */
export const returnWorkers: StepRule = {
  ...shell,
  propose: ({ observation: { inventory }, policy, presentCcms }) => {
    const external = inventory.workers.kubeletExternal;
    if (!policy.rollWorkers.enabled || external === 0 || presentCcms.length === 0) {
      return NOT_NEEDED;
    }
    return propose(shell, `${String(external)} kubelets still wait for a CCM when they register`, {
      kind: 'switchKubelets',
      to: 'inTree',
      batchSize: policy.rollWorkers.batchSize,
    });
  },
};
