import { durationMs } from './duration.js';
import type { WrittenPolicy } from './kinds/migration-policy.js';

type Spec = Pick<WrittenPolicy['spec'], 'nodes' | 'timings' | 'disableLeaderMigration' | 'soak'>;

/** An inventory does not say how many control-plane nodes a cluster has. */
const NODES = 3;

/** Forward, each node changes to Leader Migration and then to the target side; a replaced one is added and removed. */
const CHANGES_OF_NODE = 2;

/** Main lock and migration lock. */
const ELECTIONS = 2;

/** A cluster may take half as long again as expected: the rule of a fleet starts none that would not fit. */
const MARGIN = 1.5;

/** Expected time of change before the cluster is observed: every change takes as long as the policy allows for its effect. */
export function expectedChangeMs({ timings }: Spec): number {
  return (
    NODES * CHANGES_OF_NODE * durationMs(timings.effect) + ELECTIONS * durationMs(timings.election)
  );
}

/** How long a window must be open: longest expected run with its margin. A soak counts only where a change follows it. */
export function neededWindowMs(spec: Spec, soak: string): number {
  const changesAfterSoak = spec.disableLeaderMigration === 'afterSoak';
  return MARGIN * (expectedChangeMs(spec) + (changesAfterSoak ? durationMs(soak) : 0));
}
