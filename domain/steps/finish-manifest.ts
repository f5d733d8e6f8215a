import type { ClusterFacts } from '../facts/cluster-facts.js';
import { protectionOf } from '../facts/protection.js';
import type { ManagerConfig } from '../observation.js';
import { NOT_NEEDED, propose, type Proposal, type StepRule } from './step-rule.js';
import { MANAGERS } from '../vocabulary.js';

/**
 * R0: a crash inside a step left a manifest taken away; its successor is written.
 * A successor that could run beside the other manager without the lock stays away: a later rule decides anew.
 */
export const finishManifest: StepRule = {
  name: 'finishManifest',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'nothing that runs: the manager of that node is already away',
  propose: (facts) => {
    for (const node of facts.observation.nodes) {
      for (const manager of MANAGERS) {
        const { manifest } = node[manager];
        if (manifest.state === 'interrupted' && mayStart(facts, manifest.successor)) {
          return finish(node.name, manager);
        }
      }
    }
    return NOT_NEEDED;
  },
};

function finish(node: string, manager: 'kcm' | 'ccm'): Proposal {
  return propose(
    finishManifest,
    `a change of the ${manager} manifest on ${node} was cut off; its successor is written`,
    { kind: 'finishManifest', node, manager },
    // What was cut off is often what left the controllers without an owner.
    ['CCM3002'],
  );
}

/** Whether a manager with these settings may start beside those that are there. */
export function mayStart(facts: ClusterFacts, config: ManagerConfig): boolean {
  if (!config.cloudLoops) return config.leaderMigration.kind === 'off';
  const others = config.manager === 'kcm' ? facts.presentCcms : facts.inTree;
  if (others.length === 0) return true;
  return (
    protectionOf(config, facts.policy) === 'protected' &&
    others.every(({ protection }) => protection === 'protected')
  );
}
