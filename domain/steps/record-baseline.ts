import type { ClusterFacts } from '../facts/cluster-facts.js';
import { inTreeManifests } from '../facts/in-tree-manifests.js';
import { NOT_NEEDED, propose, type Proposal, type StepRule } from './step-rule.js';

/**
 * Stores what a rollback needs (KCM manifest, inventory digests) from any in-tree manifest that exists, even where the
 * migration was started by hand: once the last one is gone, there is nothing to restore from.
 */
export const recordBaseline: StepRule = {
  name: 'recordBaseline',
  phase: 'preflight',
  safePoint: 'end',
  suspends: 'nothing',
  propose: ({ observation }) => {
    if (observation.baseline !== null || inTreeManifests(observation).length === 0) {
      return NOT_NEEDED;
    }
    return propose(
      recordBaseline,
      'the KCM manifest and the inventory are stored, so that every later state can be rolled back',
      { kind: 'recordBaseline' },
      ['CCM3001', 'CCM3002'],
    );
  },
};

/**
 * A repair that removes a KCM's loops needs this step first, because the strategies, which record it, only run after
 * the repairs.
 */
export function recordedFirst(facts: ClusterFacts, repair: Proposal): Proposal {
  const recording = recordBaseline.propose(facts);
  return recording.kind === 'notNeeded' ? repair : recording;
}
