import { NOT_NEEDED, propose, type StepRule } from './step-rule.js';

/** Stores what the way back needs (KCM manifest, inventory digests) before the first change. */
export const recordBaseline: StepRule = {
  name: 'recordBaseline',
  phase: 'preflight',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation, inTree, presentCcms }) => {
    if (observation.baseline !== null || inTree.length === 0) return NOT_NEEDED;
    if (presentCcms.length > 0 && inTree.length < observation.nodes.length) return NOT_NEEDED;
    return propose(
      recordBaseline,
      'the KCM manifest and the inventory are stored, so that every later state can be undone',
      { kind: 'recordBaseline' },
      ['CCM3002'],
    );
  },
};
