import type { ClusterFacts } from '../facts/cluster-facts.js';
import { protectionOf } from '../facts/protection.js';
import type { ManagerConfig } from '../observation.js';
import { NOT_NEEDED, propose, type Proposal, type StepRule } from './step-rule.js';
import { MANAGERS } from '../vocabulary.js';

/**
 * R0: a crash inside a step left a manifest removed; its successor is written. A successor that could run beside the other
 * manager without the lock is not written: a later rule decides again.
 */
export const finishManifest: StepRule = {
  name: 'finishManifest',
  phase: 'repair',
  safePoint: 'end',
  suspends: 'nothing that runs: the manager of that node is already stopped',
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
    `a change of the ${manager} manifest on ${node} was interrupted; its successor is written`,
    { kind: 'finishManifest', node, manager },
    // The interrupted change is often what left the controllers without an owner.
    ['CCM3002'],
  );
}

/** Whether a manager with these settings may start beside the existing ones. */
export function mayStart(facts: ClusterFacts, config: ManagerConfig): boolean {
  if (!config.cloudLoops) return config.leaderMigration.kind === 'off';
  const others = config.manager === 'kcm' ? facts.presentCcms : facts.inTree;
  if (others.length === 0) return true;
  return (
    protectionOf(config, facts.policy) === 'protected' &&
    others.every(({ protection }) => protection === 'protected')
  );
}
