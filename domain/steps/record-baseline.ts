import type { ClusterFacts } from '../facts/cluster-facts.js';
import { inTreeManifests } from '../facts/in-tree-manifests.js';
import { NOT_NEEDED, propose, type Proposal, type StepRule } from './step-rule.js';

/**
 * Stores what the way back needs (KCM manifest, inventory digests) from any in-tree manifest there is, also where
 * somebody began the migration by hand: after the last one nothing tells what to go back to.
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
      'the KCM manifest and the inventory are stored, so that every later state can be undone',
      { kind: 'recordBaseline' },
      ['CCM3001', 'CCM3002'],
    );
  },
};

/** A repair that takes a KCM its loops comes after this, as the strategies, which record first, come after the repairs. */
export function recordedFirst(facts: ClusterFacts, repair: Proposal): Proposal {
  const recording = recordBaseline.propose(facts);
  return recording.kind === 'notNeeded' ? repair : recording;
}
